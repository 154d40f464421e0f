"""Checkout of a project as it was before a change, with the tests that the change adds; comparison with what it was."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import Git, tracked_files
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.session import Session
from codeopt.engine.compare import PairResult, compare
from codeopt.review.change import Change
from codeopt.review.changed_functions import is_test
from codeopt.review.repository import Repository
from codeopt.workloads.sandbox_view.view import COMPILED_FROM, built_files
from codeopt_sandbox.owner import temporary_folder
from codeopt_sandbox.plain_files import copied_plain


@contextlib.contextmanager
def open_base_checkout(repository: Repository, change: Change) -> Iterator[Path]:
    """Write the checkout into a folder that is removed afterwards. Raises UsageError."""
    with _written(repository, change.base) as (folder, git):
        new = [path for path in sorted(change.paths) if path.endswith(".py") and not (folder / path).exists()]
        added = [path for path in new if is_test(path) and copied_plain(change.root, path, folder)]  # evidence also
        if not any(path.endswith(COMPILED_FROM) for path in change.paths):  # else it is another build that it needs
            # Copy the compiled modules of the work tree, which no commit has, each to its place; the places.
            tracked = {*(tracked_files(change.root) or ())}  # what the change itself brings is no build
            built = built_files(change.root, [path for path in tracked if (folder / path).parent.is_dir()])
            own = {
                place: path for place, path in built.items() if path not in tracked and not (folder / place).exists()
            }
            added += [each.as_posix() for each in own if copied_plain(change.root, own[each], folder, each)]
        if added:
            git.ask("add", "--force", "--", *added)
        yield folder


def compare_with_base(
    repository: Repository, commit: str, folder: Path, options: ImproveOptions, session: Session, limit: float | None
) -> PairResult:
    """Compare a folder of the work tree as it was in a commit with what it is, by the command of the options. Raises
    UsageError, NoSandbox. limit: see engine.compare."""
    place = folder.resolve().relative_to(repository.root.resolve())
    with _written(repository, commit) as (root, _):
        if not (root / place).is_dir():
            raise UsageError(f"{folder} was not there in {commit[:12]}: there is nothing to compare it with")
        old, new = Target(root / place), Target(folder)
        found = compare(old, new, options, session, limit=limit)
    evidence = found.verdict.evidence.of_base(commit)
    return replace(found, verdict=replace(found.verdict, evidence=evidence))


@contextlib.contextmanager
def _written(repository: Repository, commit: str) -> Iterator[tuple[Path, Git]]:
    """The files of a commit in a folder that is removed afterwards, and the git of that folder. Raises UsageError."""
    with temporary_folder("before") as name:
        folder = Path(os.path.realpath(name))
        yield folder, repository.write_tree(commit, folder)
