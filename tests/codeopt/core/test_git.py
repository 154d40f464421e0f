"""Nothing that a repository says makes git start a program: each trap goes off for plain git, and not here."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from codeopt.cli.git_branch import check_branch
from codeopt.core.errors import UsageError
from codeopt.core.git import (
    GitError,
    NoGit,
    find_git,
    new_work_tree,
    open_git,
    tracked_files,
    unadded_files,
    work_trees,
)
from codeopt.core.program import read_program, replacement
from codeopt.review.base_checkout import open_base_checkout
from codeopt.review.change import change_since, find_base, whole_files
from codeopt.review.repository import open_repository
from codeopt.serving import slow_functions
from codeopt.workloads.project.project_program import read_project
from tests.support.files import git, write_files
from tests.support.git_trap import nested_repository


@dataclass(frozen=True)
class Trap:
    """A repository, and a program that leaves a mark when it runs."""

    root: Path
    program: Path
    mark: Path

    def configure(self, text: str, file: str = ".git/config") -> None:
        with (self.root / file).open("a") as config:
            config.write(text.format(run=self.program, root=self.root))

    def sprung(self) -> str:
        """What ran; empty where nothing did. It is set again."""
        said = self.mark.read_text() if self.mark.exists() else ""
        self.mark.unlink(missing_ok=True)
        return said


@pytest.fixture
def trap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trap:
    root, mark = tmp_path / "project", tmp_path / "mark"
    program = tmp_path / "run"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> "{mark}"\n[ "$1" = fetched ] || cat\n')
    program.chmod(0o755)
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    git(root, "config", "user.name", "a")
    git(root, "config", "user.email", "a@example.org")
    (root / "mod.py").write_text("x = 1\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "one")
    write_files(root, {".gitattributes": "*.py filter=drv diff=drv merge=drv\n", "data.py": "y = 1\n"})
    git(root, "add", "-A")
    git(root, "commit", "-qm", "two")
    monkeypatch.chdir(root)
    return Trap(root, program, mark)


def plain(trap: Trap) -> None:
    """What codeopt asks, without the gate."""
    touched(trap)
    for words in (
        ["status", "--porcelain", "--ignored", "--", "mod.py"], ["ls-files", "--others"], ["diff", "HEAD~1", "--"],
        ["add", "mod.py"], ["reset", "-q"], ["branch", "plain"], ["branch", "-D", "plain"], ["show", "HEAD~1:lost.py"],
        ["checkout-index", "--all", "-f", f"--prefix={trap.root.parent}/out/"],
    ):  # fmt: skip
        subprocess.run(["git", *words], cwd=trap.root, capture_output=True, stdin=subprocess.DEVNULL)


def touched(trap: Trap) -> None:
    path = trap.root / "mod.py"
    path.write_text(path.read_text() + "x = 2\n")


def everything(trap: Trap) -> None:
    """Every door behind which git is asked."""
    root = trap.root
    touched(trap)
    repository = open_repository(root)
    base = repository.commit("HEAD~1")
    change = change_since(repository, base)
    assert {file.path for file in change.files} == {"mod.py", "data.py"}
    with open_base_checkout(repository, change) as folder:
        assert (folder / "mod.py").read_text() == "x = 1\n"
    assert whole_files([root])[0]
    repository.attributes(("linguist-generated",), ["mod.py"])
    assert Path("mod.py") in (tracked_files(root) or [])
    assert unadded_files(root) is not None
    assert read_project(root).notes in ((), ("submodules are not shown (sub); --with shows one",))
    program = read_program(root / "mod.py")
    found = replacement(program, program.text + "x = 3\n")
    found.write()
    assert found.kept is not None
    found.kept.unlink()
    (root / ".codeopt" / "runs").mkdir(parents=True, exist_ok=True)
    assert slow_functions.saved(root) == []
    check_branch(root, "new")
    copy = new_work_tree(root.parent / "copy" if (root.parent / "copy").mkdir() is None else root)
    for name in ("mod.py", ".gitattributes"):
        shutil.copyfile(root / name, copy.root / name)
    copy.ask("add", "-A", "-f")
    with pytest.raises(GitError):
        repository.old_bytes("HEAD~1", "lost.py")


DRIVER = '[filter "drv"]\n\tclean = {run} clean\n\tsmudge = {run} smudge\n\trequired = true\n'


def filters(trap: Trap) -> None:
    trap.configure(DRIVER)


def a_process_filter(trap: Trap) -> None:
    trap.configure('[filter "drv"]\n\tprocess = {run} process\n\trequired = true\n')


def a_filter_of_an_odd_name(trap: Trap) -> None:
    (trap.root / ".gitattributes").write_text("*.py filter=Odd.Näme;.x\n")
    trap.configure(DRIVER.replace("drv", "Odd.Näme;.x"))


def an_included_file(trap: Trap) -> None:
    trap.configure(DRIVER, ".git/more")
    trap.configure('[includeIf "gitdir:{root}/"]\n\tpath = more\n')


def settings_of_the_work_tree(trap: Trap) -> None:
    git(trap.root, "config", "extensions.worktreeConfig", "true")
    trap.configure(DRIVER + "[core]\n\tfsmonitor = {run}\n", ".git/config.worktree")


def fsmonitor(trap: Trap) -> None:
    trap.configure("[core]\n\tfsmonitor = {run} fsmonitor\n")


def textconv(trap: Trap) -> None:
    trap.configure('[diff "drv"]\n\ttextconv = {run} textconv\n')


def a_diff_driver(trap: Trap) -> None:
    trap.configure('[diff "drv"]\n\tcommand = {run} command\n')


def external_diff(trap: Trap) -> None:
    trap.configure("[diff]\n\texternal = {run} external\n")


def hooks(trap: Trap) -> None:
    for name in ("post-index-change", "reference-transaction", "post-checkout"):
        shutil.copy(trap.program, trap.root / ".git" / "hooks" / name)


def another_folder_of_hooks(trap: Trap) -> None:
    (trap.root / "hooks").mkdir()
    for name in ("post-index-change", "reference-transaction"):
        shutil.copy(trap.program, trap.root / "hooks" / name)
    trap.configure("[core]\n\thooksPath = hooks\n")


def a_submodules_own_settings(trap: Trap) -> None:
    sub = trap.root / "sub"
    sub.mkdir()
    git(sub, "init", "-q", "-b", "main")
    write_files(sub, {".gitattributes": "*.py filter=sub\n", "inner.py": "z = 1\n"})
    git(sub, "add", "-A")
    git(sub, "commit", "-qm", "inner")
    git(trap.root, "add", "sub")
    git(trap.root, "commit", "-qm", "with it")
    git(trap.root, "reset", "-q", "--soft", "HEAD~1")
    git(trap.root, "commit", "-q", "--amend", "-m", "two, with it")
    (sub / "inner.py").write_text("z = 2\n")
    trap.configure(DRIVER.replace("drv", "sub") + "[core]\n\tfsmonitor = {run} inner\n", "sub/.git/config")


def a_promised_object(trap: Trap) -> None:
    """One that is not here is fetched, by a program that the URL names."""
    (trap.root / "lost.py").write_text("z = 1\n")
    git(trap.root, "add", "lost.py")
    git(trap.root, "commit", "-q", "-m", "lost")
    blob = git(trap.root, "rev-parse", "HEAD:lost.py").strip()
    git(trap.root, "rm", "-q", "lost.py")
    git(trap.root, "commit", "-q", "-m", "gone")
    (trap.root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    git(trap.root, "config", "core.repositoryformatversion", "1")
    trap.configure(
        '[extensions]\n\tpartialClone = far\n[protocol "ext"]\n\tallow = always\n'
        '[remote "far"]\n\tpromisor = true\n\turl = ext::{run} fetched\n\tfetch = +refs/heads/*:refs/remotes/far/*\n'
    )


ARMED: tuple[Callable[[Trap], None], ...] = (
    filters, a_process_filter, a_filter_of_an_odd_name, an_included_file, settings_of_the_work_tree, fsmonitor,
    textconv, a_diff_driver, external_diff, hooks, another_folder_of_hooks, a_submodules_own_settings,
)  # fmt: skip


@pytest.mark.parametrize("arm", ARMED, ids=lambda arm: arm.__name__)
def test_what_a_repository_names_is_not_started(arm: Callable[[Trap], None], trap: Trap) -> None:
    arm(trap)
    plain(trap)
    assert trap.sprung(), "the trap is none"
    everything(trap)
    assert trap.sprung() == ""


def test_nothing_is_fetched(trap: Trap) -> None:
    a_promised_object(trap)
    subprocess.run(["git", "show", "HEAD~1:lost.py"], cwd=trap.root, capture_output=True)
    assert "fetched" in trap.sprung()
    with pytest.raises(UsageError, match="partial clone"):
        open_repository(trap.root).old_bytes("HEAD~1", "lost.py")
    assert trap.sprung() == ""


def test_variables_and_the_users_own_settings_start_nothing_either(trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    (trap.root.parent / "template" / "hooks").mkdir(parents=True)
    shutil.copy(trap.program, trap.root.parent / "template" / "hooks" / "post-index-change")
    settings = trap.root.parent / "gitconfig"
    settings.write_text(
        f"{DRIVER}[init]\n\ttemplateDir = {trap.root.parent}/template\n[core]\n\tpager = {{run}}\n".format(
            run=trap.program
        )
    )
    run = str(trap.program)
    for name, value in {
        "GIT_CONFIG_GLOBAL": str(settings), "GIT_EXTERNAL_DIFF": run, "GIT_PAGER": run, "GIT_SSH_COMMAND": run,
        "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": run,
    }.items():  # fmt: skip
        monkeypatch.setenv(name, value)
    plain(trap)
    assert trap.sprung()
    everything(trap)
    assert trap.sprung() == ""


def test_a_variable_does_not_lead_to_another_repository(
    trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = nested_repository(tmp_path / "other", trap.program)
    for name in ("GIT_DIR", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY"):
        monkeypatch.setenv(name, str(other))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    everything(trap)
    assert trap.sprung() == ""


UNREACHED = (
    "alias.status", "branch.main.x.command", "core.askPass", "core.alternateRefsCommand", "core.attributesFile",
    "core.editor", "core.gitProxy", "core.pager", "core.sshCommand", "credential.helper",
    "credential.https://a.example/b.helper", "difftool.x.cmd", "gpg.program", "gpg.ssh.defaultKeyCommand",
    "gpg.x509.program", "hook.x.command", "hook.x.event", "merge.drv.driver", "remote.origin.receivepack",
    "remote.origin.uploadpack", "remote.origin.vcs", "sequence.editor", "submodule.s.update", "trailer.t.cmd",
    "trailer.t.command", "uploadpack.packObjectsHook", "init.templateDir",
)  # fmt: skip


def test_what_our_commands_do_not_reach_is_overridden_all_the_same(trap: Trap) -> None:
    for key in UNREACHED:
        git(trap.root, "config", key, f"!{trap.program}")
    told = open_git(trap.root)
    kept = [key for key in UNREACHED if str(trap.program) in told.ask("config", "--get", key).decode()]
    assert kept == ["init.templateDir"]  # which an option of `init` overrides
    with pytest.raises(ValueError, match="git fetch"):
        told.ask("fetch")


def test_a_nested_folder_that_looks_like_a_repository_is_none(trap: Trap) -> None:
    nested_repository(trap.root / "pkg", trap.program)
    (trap.root / "pkg" / "mod.py").write_text("a = 1\n")
    git(trap.root, "-c", "core.fsmonitor=", "add", "-Af", ".")
    subprocess.run(["git", "status"], cwd=trap.root / "pkg", capture_output=True)
    assert trap.sprung()
    assert list(work_trees(trap.root / "pkg" / "mod.py")) == [trap.root]
    assert Path("mod.py") in (tracked_files(trap.root / "pkg") or [])
    assert open_repository(trap.root / "pkg").root == trap.root
    assert trap.sprung() == ""


def test_a_linked_work_tree_and_a_submodule_are_repositories(trap: Trap, tmp_path: Path) -> None:
    git(trap.root, "worktree", "add", "-q", str(tmp_path / "linked"))
    (tmp_path / "linked" / "new.py").touch()
    assert tracked_files(tmp_path / "linked") == [Path(".gitattributes"), Path("data.py"), Path("mod.py")]
    assert unadded_files(tmp_path / "linked") == [Path("new.py")]
    git(trap.root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(trap.root), "sub")
    assert Path("mod.py") in (tracked_files(trap.root / "sub") or [])


def test_what_is_no_repository_is_a_plain_folder(tmp_path: Path, trap: Trap, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain" / ".git").mkdir(parents=True)
    assert (find_git(tmp_path / "plain"), tracked_files(tmp_path / "plain")) == (None, None)
    monkeypatch.setenv("PATH", f".{os.pathsep}")
    shutil.copy(trap.program, trap.root / "git")
    assert tracked_files(trap.root) is None
    with pytest.raises(NoGit):
        open_repository(trap.root)
    (tmp_path / "plain" / "it.py").touch()
    found = [read_project(each).notes[0].partition(":")[0] for each in (trap.root, tmp_path / "plain")]
    assert found == ["there is no git program here", "not a git repository"]
    assert trap.sprung() == ""


@pytest.mark.parametrize("end", ["exit 1", "kill -KILL $$"])
def test_what_a_git_printed_that_failed_or_was_killed_is_no_answer(
    end: str, trap: Trap, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = open_git(trap.root)
    failing = tmp_path / "bin" / "git"
    failing.parent.mkdir()
    failing.write_text(f"#!/bin/sh\nprintf 'data.py\\0mo'\n{end}\n")
    failing.chmod(0o755)
    monkeypatch.setenv("PATH", str(failing.parent), prepend=os.pathsep)
    with pytest.raises(GitError):
        opened.files(trap.root)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_gits_own_reason_is_told(trap: Trap) -> None:
    for path in (trap.root, trap.root / ".git"):
        os.chown(path, 12345, 12345)
    asked: tuple[Callable[[Path], object], ...] = (
        tracked_files,
        read_project,
        lambda root: whole_files([root]),
        lambda root: find_base(open_repository(root), "HEAD"),
        lambda root: find_base(open_repository(root), None, {}),
    )
    for ask in asked:
        with pytest.raises(UsageError, match="dubious ownership") as error:
            ask(trap.root)
        assert "\n" not in str(error.value)


def test_a_broken_repository_is_refused_in_one_line(trap: Trap) -> None:
    trap.configure("[core\n")
    with pytest.raises(UsageError, match="bad config line"):
        read_project(trap.root)


def test_files_with_a_filter_are_in_the_old_tree_as_the_user_has_them(trap: Trap) -> None:
    """Such as those of git-lfs: what it keeps elsewhere is not fetched, and what did not change is here."""
    (trap.root / ".gitattributes").write_text("*.bin filter=drv\n")
    trap.configure('[filter "drv"]\n\tclean = tr a-z A-Z\n\tsmudge = tr A-Z a-z\n\trequired = true\n')
    (trap.root / "large.bin").write_text("contents")
    git(trap.root, "add", "-A")
    git(trap.root, "commit", "-qm", "large")
    repository = open_repository(trap.root)
    assert repository.old_bytes("HEAD", "large.bin") == b"CONTENTS"
    with open_base_checkout(repository, change_since(repository, repository.commit("HEAD"))) as folder:
        assert (folder / "large.bin").read_text() == "contents"
