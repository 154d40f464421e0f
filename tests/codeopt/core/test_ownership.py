"""What a repository brings is nobody's: its runs, batches and recordings are not believed, nor where they would lead;
what a run says steers no terminal."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from codeopt.batch.batch_folder import BatchFolder
from codeopt.core.errors import UsageError
from codeopt.core.history import History
from codeopt.core.model import Ledger
from codeopt.core.ownership import foreign, require_own
from codeopt.core.revision import Revision
from codeopt.core.run_store import RunFolder, SavedRun, new_run
from codeopt.workloads.function.recording import left_out, recorded_calls
from codeopt.workloads.source.functions import read_function
from tests.codeopt.command import codeopt
from tests.codeopt.core.test_run_index import result
from tests.support.candidates import FAST, SLOW, original, right, wrong
from tests.support.files import git, make_repository, write_files


def save(runs: Path, name: str, folder: Path, **fields: Any) -> Path:
    """An accepted run for slow.py in `folder`."""
    run = RunFolder(runs / name)
    run.path.mkdir(parents=True)
    run.save(SavedRun(History((original(critique="a list"), wrong(critique="wrong"), right(2))), Ledger()))
    run.finish(Revision.of(SLOW), result(folder, model="m", **fields), Revision.of(FAST))
    return run.path


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A work tree with a program and a run of the user's own; where links lead to is beside it."""
    write_files(tmp_path / "outside", {"slow.py": SLOW})
    return make_repository(tmp_path / "repository", {"slow.py": SLOW})


def bring(folder: Path, path: str) -> None:
    """As a clone would have it."""
    git(folder, "add", "-f", "--", path)
    git(folder, "commit", "-qm", "theirs")


def all_tracked(folder: Path) -> Path:
    run = save(folder / ".codeopt" / "runs", "20260101-000000-slow-aaaa", folder)
    bring(folder, ".codeopt")
    return run


def test_the_users_own_run_is_found_beside_theirs(repository: Path) -> None:
    all_tracked(repository)
    own = save(repository / ".codeopt" / "runs", "20250101-000000-slow-bbbb", repository)
    theirs = repository / ".codeopt" / "runs" / "20260101-000000-slow-aaaa"
    assert [*foreign([own, theirs])] == [theirs]
    assert codeopt("show", cwd=repository).out.endswith(f"saved in {own.relative_to(repository)}\n")
    assert codeopt("apply", cwd=repository).status == 0
    assert (repository / "slow.py").read_text() == FAST


@pytest.mark.parametrize("place", ["no repository", "a link of one's own", "ignored", "in a subfolder"])
def test_what_is_ones_own_is_applied(place: str, repository: Path) -> None:
    if place == "no repository":
        shutil.rmtree(repository / ".git")
    folder = repository
    if place == "a link of one's own":
        (repository / ".codeopt").symlink_to(repository.parent / "outside")
    if place == "ignored":
        (repository / ".gitignore").write_text(".codeopt\n")
        git(repository, "add", ".gitignore")
    if place == "in a subfolder":  # of a file beside it, which is in the same repository
        folder = repository / "tools"
        folder.mkdir()
    save(
        folder / ".codeopt" / "runs",
        "20260101-000000-slow-aaaa",
        folder,
        file="../slow.py" if folder != repository else "slow.py",
    )
    done = codeopt("apply", cwd=folder)
    assert done.status == 0, done.err
    assert (repository / "slow.py").read_text() == FAST


@pytest.mark.parametrize(
    "file", ["{outside}/slow.py", "../outside/slow.py", "link.py", ".git/hooks/slow.py", "slow\0.py"]
)
def test_a_run_reaches_nothing_outside(file: str, repository: Path) -> None:
    outside = repository.parent / "outside"
    (repository / "link.py").symlink_to(outside / "slow.py")
    shutil.copy(repository / "slow.py", repository / ".git" / "hooks" / "slow.py")
    save(repository / ".codeopt" / "runs", "20260101-000000-slow-aaaa", repository, file=file.format(outside=outside))
    for words in (["apply"], ["show", "--diff"]):
        done = codeopt(*words, cwd=repository)
        assert (done.status, done.out, len(done.facts)) == (2, "", 1), done
        assert any(why in done.err for why in ("is outside of", "version control", "cannot be")), done.err
    for path in (outside / "slow.py", repository / ".git" / "hooks" / "slow.py"):
        assert path.read_text() == SLOW
    if file.startswith("{outside}"):  # where it is meant
        run = repository / ".codeopt" / "runs" / "20260101-000000-slow-aaaa"
        assert codeopt("apply", run, cwd=outside).status == 0
        assert (outside / "slow.py").read_text() == FAST


def test_the_original_is_not_kept_through_a_link(repository: Path) -> None:
    save(repository / ".codeopt" / "runs", "20260101-000000-slow-aaaa", repository)
    (repository / "slow.py.orig").symlink_to("../outside/slow.py")
    (repository.parent / "outside" / "slow.py").write_text("theirs = 1\n")
    done = codeopt("apply", cwd=repository)
    assert (done.status, (repository / "slow.py").read_text()) == (2, SLOW), done
    assert "slow.py.orig, the place for the original, is a link" in done.err
    assert (repository.parent / "outside" / "slow.py").read_text() == "theirs = 1\n"


def test_nothing_is_saved_where_a_link_of_theirs_leads(repository: Path) -> None:
    outside = repository.parent / "outside"
    (repository / ".codeopt").symlink_to("../outside")
    bring(repository, ".codeopt")
    made = new_run(repository / ".codeopt", "slow").path
    assert not made.resolve().is_relative_to(outside)
    shutil.rmtree(made)
    (repository / ".codeopt").unlink()
    (repository / ".codeopt").mkdir()
    (repository / ".codeopt" / ".gitignore").symlink_to(outside / "made")
    assert new_run(repository / ".codeopt", "slow").path.is_relative_to(repository)
    assert not (outside / "made").exists()


def test_batches_and_recordings_of_others_are_left_alone(repository: Path) -> None:
    BatchFolder(repository / "out", create=True)
    bring(repository, "out")
    (repository / "mod.py").write_text("def f(n):\n    return n\n")
    calls = repository / ".codeopt" / "calls" / "mod.f.txt"
    calls.parent.mkdir(parents=True)
    calls.write_text("f(1)\n")
    function = read_function(repository / "mod.py", "f")
    assert recorded_calls(function) == ["f(1)"]
    bring(repository, ".codeopt")
    assert recorded_calls(function) == []
    assert "git tracks it" in left_out(function)
    write_files(repository, {"problems/one/slow.py": SLOW, "problems/one/input.1.txt": "2\n1 2\n"})
    for arguments in (("report", "out"), ("batch", "problems", "--run-dir", "out", "--model", "rules")):
        done = codeopt(*arguments, cwd=repository)
        assert done.status == 2, done
        assert "the batch in out (batch.json) is not yours: git tracks it" in done.err


@pytest.mark.parametrize("key", ["run-dir", "record", "html"])
def test_a_projects_settings_write_into_the_project_alone(key: str, repository: Path) -> None:
    (repository / "pyproject.toml").write_text(f'[tool.codeopt]\n{key} = "../outside/x"\n')
    done = codeopt("improve", "slow.py", cwd=repository)
    assert done.status == 2, done
    assert f"{key} = " in done.err
    assert "is outside of the project, which a project's file cannot decide" in done.err
    assert f"give --{key} or CODEOPT_{key.upper().replace('-', '_')}" in done.err


def test_a_run_in_which_nothing_was_accepted_has_ended(repository: Path) -> None:
    nothing = {"accepted": False, "speedup": None, "best_round": None, "sha256_after": None, "command": None}
    save(repository / ".codeopt" / "runs", "20260101-000000-slow-aaaa", repository, **nothing)
    assert codeopt("runs", cwd=repository).out.startswith("  no faster version  slow.py  ")
    save(repository / ".codeopt" / "runs", "20260102-000000-slow-aaaa", repository, **nothing, verdict="inconclusive")
    assert codeopt("runs", cwd=repository).out.startswith("  inconclusive       slow.py  ")


@pytest.mark.parametrize(
    "name", ['a"b.py', "tab\t.py", "a\n+++ b/other.py", "back\\slash.py", "bidi\u202e.py", "plain é.py"]
)
def test_a_name_cannot_forge_a_line_of_a_diff(name: str, repository: Path) -> None:
    name = name.replace("/", "-")
    (repository / name).write_text(SLOW)
    save(repository / ".codeopt" / "runs", "20260101-000000-slow-aaaa", repository, file=name)
    done = codeopt("show", "--diff", cwd=repository)
    before, after, *rest = done.out.splitlines()
    ends = "\t" * (" " in name and not before.endswith('"'))  # as git ends a name with a space, for patch(1)
    assert before.endswith(f".py{ends}") or before.endswith('"')
    assert not {"\u202e", "\t"} & {*before.removesuffix("\t"), *after.removesuffix("\t"), *"".join(rest)}
    (repository / "patch").write_text(done.out)
    git(repository, "apply", "patch")
    assert (repository / name).read_text() == FAST


def test_a_link_in_a_circle_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    assert "owner is unknown" in foreign([tmp_path / "one" / "run"])[tmp_path / "one" / "run"]
    with pytest.raises(UsageError, match="it is not yours: its owner is unknown"):
        require_own(tmp_path / "one", "it")
