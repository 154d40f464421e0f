"""`--branch NAME`: a patch as commits of its own, one an edit, beside the user's branch and without touching a file."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from codeopt.edit_table import figures
from codeopt.errors import UsageError
from codeopt.workloads.project.edits import CodeEdit, without
from codeopt.workloads.project.text import ProjectProgram

MESSAGE = """\
{summary}

Without this edit the command takes {figures}.
Command: {command}
The whole patch: {ratio}
Judged by: {evidence}
"""


def check_branch(folder: Path, name: str) -> None:
    """Refuse, before anything is run, what could not be committed after it. Raises UsageError."""
    _git(folder, "rev-parse", "--verify", "--quiet", "HEAD", why="it has no commit that a branch could begin at")
    _git(folder, "check-ref-format", "--branch", name, why="that is no name of a branch")
    known = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "--verify", "--quiet", f"refs/heads/{name}"], capture_output=True
    )
    if known.returncode == 0:
        raise UsageError(f"--branch {name}: there is one of that name already")
    _git(folder, "var", "GIT_COMMITTER_IDENT", why="git does not know your name: git config user.name and user.email")


def commit_branch(program: ProjectProgram, source: str, name: str, facts: Mapping[str, Any], ratio: str) -> int:
    """Make the branch; returns how many commits it has. Raises UsageError."""
    folder = program.path
    for part, _ in program.parts(source):
        if _git(folder, "status", "--porcelain", "--", str(part.path.resolve())).strip():
            raise UsageError(f"--branch {name}: {part.path} has changes that are not committed; commit them first")
    rows: Sequence[Mapping[str, Any]] = facts["edits"]
    edits = [CodeEdit(row["file"], row["qualname"]) for row in rows]
    states = [source]
    for edit in reversed(edits[1:]):
        states.insert(0, without(program.source, states[0], edit))
    top = Path(_git(folder, "rev-parse", "--show-toplevel").strip())
    head = _git(folder, "rev-parse", "HEAD").strip()
    with tempfile.TemporaryDirectory(prefix="codeopt-index-") as index:
        env = {**os.environ, "GIT_INDEX_FILE": f"{index}/index"}
        _git(folder, "read-tree", "HEAD", env=env)
        for row, state in zip(rows, states, strict=True):
            for part, text in program.parts(state):
                place = part.path.resolve().relative_to(top.resolve()).as_posix()
                blob = _git(folder, "hash-object", "-w", "--stdin", given=part.as_file(text), env=env).strip()
                mode = "100755" if os.access(part.path, os.X_OK) else "100644"
                _git(folder, "update-index", "--cacheinfo", f"{mode},{blob},{place}", env=env)
            tree = _git(folder, "write-tree", env=env).strip()
            head = _git(folder, "commit-tree", tree, "-p", head, given=_message(row, facts, ratio), env=env).strip()
    _git(folder, "branch", name, head)
    return len(rows)


def _message(row: Mapping[str, Any], facts: Mapping[str, Any], ratio: str) -> str:
    return MESSAGE.format(
        summary=f"Make {row['qualname']} in {row['file']} faster", figures=figures(row), command=facts["command"],
        ratio=ratio, evidence=", ".join(row["evidence"]) or "nothing",
    )  # fmt: skip


def _git(folder: Path, *words: str, given: str = "", env: Mapping[str, str] | None = None, why: str = "") -> str:
    """Raises UsageError."""
    done = subprocess.run(["git", "-C", str(folder), *words], input=given.encode(), capture_output=True, env=env)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise UsageError(f"--branch: {why or said or 'git failed'}")
    return done.stdout.decode("utf-8", "replace")
