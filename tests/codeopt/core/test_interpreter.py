"""Which Python runs a program, and what is said of one that cannot."""

from __future__ import annotations

import os
import shutil
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from codeopt.core import interpreter
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Origin, SettingsPython, find_interpreter
from codeopt_sandbox import interpreter as started
from tests.codeopt.command import codeopt, write_problem
from tests.codeopt.review.pull_request import git

NOTHING: dict[str, str] = {}
COMMIT = ("-c", "user.name=n", "-c", "user.email=a@b", "commit", "-qm", "x")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in the src layout with a virtual environment."""
    root = tmp_path / "project"
    (root / "src" / "pkg").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    (root / "src" / "pkg" / "mod.py").touch()
    venv.create(root / ".venv", symlinks=True)
    return root


def write_program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_what_goes_before_what(project: Path, tmp_path: Path) -> None:
    place, own = project / "src" / "pkg" / "mod.py", str(project / ".venv" / "bin" / "python")
    activated = {"VIRTUAL_ENV": str(tmp_path / "activated")}
    venv.create(tmp_path / "activated", symlinks=True)
    found = [
        find_interpreter(sys.executable, place, environment=activated),
        find_interpreter(None, place, environment=activated),
        find_interpreter(None, place, environment=NOTHING),
        find_interpreter(None, tmp_path / "elsewhere.py", environment=NOTHING),
    ]
    assert [each.origin for each in found] == [Origin.NAMED, Origin.ACTIVATED, Origin.PROJECT, Origin.OWN]
    assert [each.path for each in found[1:3]] == [str(tmp_path / "activated" / "bin" / "python"), own]
    assert found[0].path == found[3].path == sys.executable


def test_the_nearest_environment_is_taken_and_none_from_outside_the_project(project: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / ".venv", symlinks=True)
    (project / ".git").mkdir()
    inner = project / "packages" / "inner"
    venv.create(inner / "venv", symlinks=True)
    assert find_interpreter(None, inner / "x.py", environment=NOTHING).path == str(inner / "venv" / "bin" / "python")
    shutil.rmtree(project / ".venv")
    assert find_interpreter(None, project / "x.py", environment=NOTHING).origin is Origin.OWN


def test_a_link_a_shim_and_a_way_with_dots_lead_to_the_real_one(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = project / ".venv" / "bin" / "python"
    shim = write_program(tmp_path / "shims" / "pythonx", f'#!/bin/sh\nexec "{python}" "$@"\n')
    monkeypatch.chdir(project / "src")
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("HOME", str(project))
    for named in ("../.venv/bin/python", "pythonx", "~/.venv/bin/python", str(shim)):
        assert os.path.realpath(Path(find_interpreter(named, project).path).parent) == str(python.parent), named


def test_an_environment_says_what_it_has(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    version = sys.version.split()[0]
    assert (
        find_interpreter(None, project, environment=NOTHING).line == f"python     .venv/bin/python {version}, no pytest"
    )
    packages = next((project / ".venv" / "lib").glob("python*/site-packages"))
    (packages / "pytest-9.9.1.dist-info").mkdir()
    (packages / "pytest-9.9.1.dist-info" / "METADATA").write_text("Name: pytest\nVersion: 9.9.1\n")
    (packages / "evil.pth").write_text("import os; os._exit(9)\n")
    found = find_interpreter(None, project, environment=NOTHING)
    assert found.line == f"python     .venv/bin/python {version}, pytest 9.9.1"


BROKEN = {
    "missing": (lambda path: None, "is not there"),
    "folder": (lambda path: path.mkdir(parents=True), "is a folder"),
    "dangling": (lambda path: path.symlink_to("/nowhere/python3.9"), "leads to /nowhere/python3.9, which is not there"),
    "not a program": (lambda path: write_program(path, "\x7fELF\x02\x01"), "is no program that this machine can run"),
    "not permitted": (lambda path: write_program(path, "x").chmod(0o644), "may not be started (permission denied)"),
    "no Python": (lambda path: write_program(path, "#!/bin/sh\necho hello\n"), "is no Python"),
    "its first line": (lambda path: write_program(path, "#!/nowhere/sh\n"), "what its first line names is not there"),
    "its base is gone": (
        lambda path: write_program(
            path, '#!/bin/sh\n[ "$1" = -V ] && echo Python 3.12.0 || { echo No module named encodings >&2; exit 1; }\n'
        ),
        "does not start: No module named encodings",
    ),
    "old": (lambda path: write_program(path, "#!/bin/sh\necho Python 2.7.18\n"), "is Python 2.7.18; 3.8 is the oldest"),
    "hangs": (lambda path: write_program(path, "#!/bin/sh\nsleep 60 & sleep 60\n"), "did not answer within 0.5 s"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_one_is_one_line_whoever_says_it(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    break_it, said = BROKEN[name]
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").touch()
    break_it(python)
    monkeypatch.setattr(started, "START_S", 0.5 if name == "hangs" else 10.0)
    activated = {"VIRTUAL_ENV": str(tmp_path / ".venv")}
    for named, environment, words in (
        (str(python), NOTHING, "--python: "), (None, activated, "VIRTUAL_ENV is set to "), (None, NOTHING, "--python"),
    ):  # fmt: skip
        with pytest.raises(UsageError) as error:
            find_interpreter(named, tmp_path, environment=environment)
        assert said in str(error.value)
        assert words in error.value.words
        assert "\n" not in error.value.words


def test_one_that_git_tracks_is_not_started(project: Path) -> None:
    git(project, "init", "-q")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT
    git(project, "add", "-f", ".venv/bin/python")
    with pytest.raises(UsageError, match="is tracked by git"):
        find_interpreter(None, project, environment=NOTHING)
    assert find_interpreter(str(project / ".venv" / "bin" / "python"), project, environment=NOTHING)


def _settings(project: Path) -> str:
    return ".venv/pyvenv.cfg"


def _code_of_a_package(project: Path) -> str:
    packages = next((project / ".venv" / "lib").glob("python*/site-packages"))
    (packages / "evil.pth").write_text("import evil\n")
    return str(packages / "evil.pth")


def _a_link_to_a_tracked_folder(project: Path) -> str:
    (project / ".venv").rename(project / "tools")
    (project / ".venv").symlink_to("tools")
    return "tools"


def _a_tracked_link(project: Path) -> str:
    (project / ".venv").rename(project.parent / "elsewhere")
    (project / ".venv").symlink_to("../elsewhere")
    return ".venv"


def _a_program_elsewhere_in_the_tree(project: Path) -> str:
    python = project / ".venv" / "bin" / "python"
    python.unlink()
    (project / "bin").mkdir()
    (project / "bin" / "python").symlink_to(sys.executable)
    python.symlink_to("../../bin/python")
    return "bin/python"


def _a_folder_of_programs(project: Path) -> str:
    (project / ".venv" / "bin").rename(project / "programs")
    (project / ".venv" / "bin").symlink_to("../programs")
    return "programs/python"


def _a_library_that_the_settings_name(project: Path) -> str:
    library = project / "base" / "lib" / "python3"
    write_program(library / "os.py", "")
    (project / "base" / "bin").mkdir()
    (project / ".venv" / "pyvenv.cfg").write_text(f"home = {project}/base/bin\n")
    return "base/lib"


@pytest.mark.parametrize("bring", [
    _settings, _code_of_a_package, _a_link_to_a_tracked_folder, _a_tracked_link, _a_program_elsewhere_in_the_tree,
    _a_folder_of_programs, _a_library_that_the_settings_name,
], ids=lambda bring: bring.__name__)  # fmt: skip
def test_nothing_that_a_start_reads_may_be_tracked(bring: Callable[[Path], str], project: Path) -> None:
    git(project, "init", "-q")
    name = bring(project)
    activated = {"VIRTUAL_ENV": str(project / ".venv")}
    git(project, "add", "-f", name)
    for environment in (NOTHING, activated):
        with pytest.raises(UsageError, match="is tracked by git"):
            find_interpreter(None, project, environment=environment)
    git(project, "rm", "-q", "--cached", "-r", name)
    if bring is not _a_library_that_the_settings_name:  # an empty library starts nothing
        assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT


def test_one_of_a_submodule_or_a_nested_clone_is_not_started(project: Path) -> None:
    git(project, "init", "-q")
    git(project / "src", "init", "-q")
    venv.create(project / "src" / ".venv", symlinks=True)
    git(project / "src", "add", "-f", ".venv")
    with pytest.raises(UsageError, match="is tracked by git"):
        find_interpreter(None, project / "src" / "pkg" / "mod.py", environment=NOTHING)


def test_one_of_which_git_cannot_say_is_not_started(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(project, "init", "-q")
    with (project / ".git" / "config").open("a") as settings:
        settings.write("[core\n")
    with pytest.raises(UsageError, match=r"whether git tracks .* is not known, .*bad config line"):
        find_interpreter(None, project, environment=NOTHING)
    monkeypatch.setenv("PATH", str(project))
    with pytest.raises(UsageError, match="there is no git here"):
        find_interpreter(None, project, environment=NOTHING)
    shutil.rmtree(project / ".git")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT


@pytest.mark.parametrize("named_by", ["a link of .venv", "VIRTUAL_ENV", "the settings"])
def test_one_outside_of_the_project_is_the_users_unless_its_files_name_it(
    named_by: str, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pyenv's folder is a git checkout, and there may be no git."""
    checkout = tmp_path / "pyenv"
    python = write_program(checkout / "bin" / "python", f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    git(checkout, "init", "-q")
    git(project, "init", "-q")
    link = project / ".venv" / "bin" / "python"
    link.unlink()
    link.symlink_to(python)
    environment = {"VIRTUAL_ENV": str(checkout)} if named_by == "VIRTUAL_ENV" else NOTHING
    named = SettingsPython(python) if named_by == "the settings" else None
    assert find_interpreter(named, project, environment=environment)
    with (checkout / ".git" / "config").open("a") as settings:
        settings.write("[core\n")
    if named:
        with pytest.raises(UsageError, match="whether git tracks .* is not known"):
            find_interpreter(named, project, environment=environment)
    else:
        assert find_interpreter(None, project, environment=environment)
        (project / ".git").rename(tmp_path / "no longer a repository")
        monkeypatch.setenv("PATH", str(project))
        assert find_interpreter(None, project, environment=environment)


@pytest.mark.parametrize("named", [
    "bin/python", "./python", "a/b/c/python", "a/../bin/python", "src/../bin/python", "dir/python",
    "./link", "outer/python", "sub/bin/python", "nested/bin/python", "../project/bin/python",
])  # fmt: skip
def test_no_interpreter_that_git_tracks_is_started_wherever_it_lies(
    named: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each path is asked about in its own work tree, be the environment around it that work tree or around it."""
    python = f"#!/bin/sh\ntouch '{project.parent}/started'\nexec '{sys.executable}' \"$@\"\n"
    for place in ("bin/python", "python", "a/b/c/python", "sub/bin/python", "nested/bin/python"):
        write_program(project / place, python)
    write_program(project.parent / "elsewhere" / "python", python)  # what leads there is tracked, and not the file
    (project / "dir").symlink_to("bin")
    (project / "link").symlink_to("a/b/c/python")
    (project / "outer").symlink_to("../elsewhere")
    for nested in ("sub", "nested"):
        git(project / nested, "init", "-q")
        git(project / nested, "add", "-f", ".")
        git(project / nested, *COMMIT)
    git(project, "init", "-q")
    git(project, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./sub", "sub")
    git(project, "add", "-f", "bin", "python", "a", "dir", "link", "outer")
    monkeypatch.chdir(project)
    with pytest.raises(UsageError, match="is tracked by git"):
        find_interpreter(SettingsPython(named), project)
    assert not (project.parent / "started").exists()
    assert find_interpreter(named, project).origin is Origin.NAMED


@pytest.mark.parametrize("named", ["bin/python", "./python", "../other/bin/python"])
def test_a_setting_is_refused_where_git_cannot_say_of_any_work_tree(
    named: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither of that around the interpreter, where that is another than the one around the settings."""
    monkeypatch.chdir(project)
    git(project, "init", "-q")
    path = write_program(project / named, f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n").resolve()
    root = project if path.is_relative_to(project) else project.parent / "other"
    git(root, "init", "-q")
    assert find_interpreter(SettingsPython(named), project)
    with (root / ".git" / "config").open("a") as settings:
        settings.write("[core\n")
    with pytest.raises(UsageError, match="whether git tracks .* is not known"):
        find_interpreter(SettingsPython(named), project)


def test_an_environment_that_is_the_whole_project_is_started(project: Path) -> None:
    """Its `bin` and `lib` may hold files of the project beside those of the environment."""
    venv.create(project, symlinks=True)
    write_program(project / "bin" / "run.sh", "")
    write_program(project / "lib" / "tool.py", "")
    git(project, "init", "-q")
    git(project, "add", "src", "bin/run.sh", "lib/tool.py")
    assert find_interpreter(None, project, environment={"VIRTUAL_ENV": str(project)}).origin is Origin.ACTIVATED


def test_tools_are_asked_where_the_project_is_theirs_and_they_answer_at_once(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved = tmp_path / "cache" / "project-py3"
    (project / ".venv").rename(project / "moved")
    moved.parent.mkdir()
    (project / "moved").rename(moved)
    tool = write_program(tmp_path / "tools" / "poetry", f"#!/bin/sh\necho {moved}\n")
    monkeypatch.setenv("PATH", f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.OWN
    (project / "pyproject.toml").write_text("[tool.poetry]\n")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.POETRY
    assert find_interpreter(None, project, own_files=False, environment=NOTHING).origin is Origin.OWN
    monkeypatch.setattr(interpreter, "MAX_TOOL_S", 0.2)
    write_program(tool, "#!/bin/sh\nexec sleep 5\n")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.OWN
    (project / ".pdm-python").write_text(f"{moved}/bin/python")
    assert find_interpreter(None, project, environment=NOTHING).origin is Origin.PROJECT


@pytest.mark.parametrize("name", ["improve", "compare", "profile", "check", "batch"])
def test_every_command_refuses_a_broken_one_in_one_line(name: str, tmp_path: Path) -> None:
    slow = write_problem(tmp_path / "set", words=10)
    targets = {"compare": [slow, slow], "batch": [tmp_path / "set", "--run-dir", tmp_path / "run"]}
    arguments = [*targets.get(name, [slow]), "--python", "/nowhere/python"]
    done = codeopt(name, *arguments, cwd=tmp_path)
    assert (done.status, done.out) == (2, "")
    assert done.err == "error: --python: /nowhere/python is not there\n"
