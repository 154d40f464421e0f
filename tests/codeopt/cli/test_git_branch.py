"""`--branch NAME`: what is refused before anything runs, and what its commits hold, one an edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.git_branch import check_branch, commit_branch
from codeopt.core.errors import UsageError
from codeopt.core.evidence import PatchEvidence
from codeopt.workloads.project.project_program import read_project, read_text
from codeopt.workloads.project.proposer import apply_answer
from tests.codeopt.workloads.shop import ADD, FIND, HEAD, write_shop
from tests.support.files import git, make_repository, write_files

STORE = "shop/store.py"
NAMES = ("Store.__init__", "Store.add", "Store._find")
ROWS = [
    {"file": STORE, "qualname": name, "ablation": {"ratio": ratio, "ci_low": 1.8, "ci_high": 2.25}, "evidence": said}
    for name, ratio, said in zip(NAMES, (None, 2.0, 2.0), ([], ["its tests", "9 calls of it"], []), strict=True)
]
PATCH = PatchEvidence(
    command="python bench.py", project_tests={}, output="compared", timed_command="the command", protected_files={},
    mutated_commands=0, sandbox_seconds={}, profile={}, edits=tuple(ROWS), left_out_edits=(),
)  # fmt: skip


def commits(root: Path, *, name: str = "quick") -> list[str]:
    program = read_text(root, read_project(root))
    assert commit_branch(program, apply_answer(program.revision, HEAD + ADD + "\n" + FIND), name, PATCH, "3x") == 3
    return git(root, "log", "--reverse", "--format=%H", f"HEAD..{name}").split()


def test_each_edit_is_a_commit(tmp_path: Path) -> None:
    root = write_shop(tmp_path / "shop")
    (root / STORE).chmod(0o755)
    git(root, "commit", "-qam", "mode")
    made = commits(root)
    added = [git(root, "show", "--format=", each) for each in made]
    for at, sign in enumerate(("+        self.index = {}", "+        self.index.set", "+        return self.index")):
        assert [sign in each for each in added] == [each == at for each in range(3)]
    assert not any("mode" in each for each in added)
    assert git(root, "log", "-1", "--format=%B", made[1]).splitlines()[:6] == [
        "Make Store.add in shop/store.py faster", "", "Without this edit the command takes 2.0x slower (1.8x to 2.3x).",
        "Command: python bench.py", "The whole patch: 3x", "Judged by: its tests, 9 calls of it",
    ]  # fmt: skip
    said = git(root, "log", "-1", "--format=%B", made[0])
    assert ("wrong: the rest needs it" in said, "Judged by: nothing" in said) == (True, True)
    assert git(root, "status", "--porcelain") == ""


def test_what_is_not_committed_is_not_overwritten(tmp_path: Path) -> None:
    root = write_shop(tmp_path / "shop")
    (root / STORE).write_text((root / STORE).read_text() + "# mine\n")
    with pytest.raises(UsageError, match=r"store\.py has changes that are not committed"):
        commits(root, name="other")
    assert git(root, "branch", "--list", "other") == ""


def test_what_is_refused_before_anything_runs(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "p", {"a.py": ""}, "all")
    git(root, "branch", "old")
    check_branch(root, "new")
    write_files(tmp_path / "none", {"a.py": ""})
    git(tmp_path, "init", "-q", "empty")
    for folder, name, why in (
        (root, "old", "there is one of that name already"),
        (root, "a..b", "that is no name of a branch"),
        (tmp_path / "none", "new", "it has no commit"),
        (tmp_path / "empty", "new", "it has no commit"),
    ):
        with pytest.raises(UsageError, match=why):
            check_branch(folder, name)
