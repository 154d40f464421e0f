"""`--branch NAME`: a patch as separate commits, one an edit, on a new branch. No file of the work tree is touched."""

from __future__ import annotations

import os
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.evidence import PatchEvidence
from codeopt.core.git import Git, GitError, find_git
from codeopt.core.program import changes_of
from codeopt.core.revision import Revision
from codeopt.report.verdict import figures
from codeopt.workloads.project.project_program import ProjectProgram
from codeopt.workloads.source.edits import CodeEdit, without
from codeopt_sandbox.owner import temporary_folder

MESSAGE = """\
{summary}

Without this edit the command takes {figures}.
Command: {command}
The whole patch: {ratio}
Judged by: {evidence}
"""


def check_branch(folder: Path, name: str) -> None:
    """Refuse, before anything is run, what could not be committed after it. Raises UsageError."""
    git = _git(folder)
    _ask(git, "rev-parse", "--verify", "--quiet", "HEAD", why="it has no commit that a branch could begin at")
    _ask(git, "check-ref-format", "--branch", name, why="that is no name of a branch")
    if _ask(git, "branch", "--list", "--format=%(refname)", name):
        raise UsageError(f"--branch {name}: there is one of that name already")
    _ask(git, "var", "GIT_COMMITTER_IDENT", why="git does not know your name: git config user.name and user.email")


def commit_branch(program: ProjectProgram, revision: Revision, name: str, patch: PatchEvidence, ratio: str) -> int:
    """Make the branch; returns how many commits it has. Raises UsageError."""
    git = _git(program.path)
    for path in (each.program.path for each in changes_of(program, revision)):
        if _ask(git, "status", "--porcelain", "--untracked-files=normal", "--", str(path.resolve())).strip():
            raise UsageError(f"--branch {name}: {path} has changes that are not committed", hint="commit them first")
    rows = patch.edits
    edits = [CodeEdit(row["file"], row["qualname"]) for row in rows]
    states = [revision]
    for edit in reversed(edits[1:]):
        states.insert(0, without(program.revision, states[0], edit))
    head = _ask(git, "rev-parse", "HEAD").strip()
    with temporary_folder("index") as folder:
        index = folder / "index"
        _ask(git, "read-tree", "HEAD", index=index)
        for row, state in zip(rows, states, strict=True):
            for change in changes_of(program, state):
                path = change.program.path
                place = path.resolve().relative_to(git.root).as_posix()
                blob = _ask(git, "hash-object", "-w", "--stdin", given=change.text).strip()
                mode = "100755" if os.access(path, os.X_OK) else "100644"
                _ask(git, "update-index", "--cacheinfo", f"{mode},{blob},{place}", index=index)
            tree = _ask(git, "write-tree", index=index).strip()
            message = MESSAGE.format(
                summary=f"Make {row['qualname']} in {row['file']} faster", figures=figures(row), command=patch.command,
                ratio=ratio, evidence=", ".join(row["evidence"]) or "nothing",
            )  # fmt: skip
            head = _ask(git, "commit-tree", tree, "-p", head, given=message).strip()
    _ask(git, "branch", name, head)
    return len(rows)


def _git(folder: Path) -> Git:
    """Find the repository of a folder. Raises UsageError."""
    git = find_git(folder)
    if git is None:
        raise UsageError("--branch: it has no commit that a branch could begin at")
    return git


def _ask(git: Git, command: str, *words: str, given: str = "", index: Path | None = None, why: str = "") -> str:
    """Ask git. Raises UsageError."""
    try:
        return git.ask(command, *words, given=given.encode(), index=index).decode("utf-8", "replace")
    except GitError as error:
        raise UsageError(f"--branch: {why or error}") from error
