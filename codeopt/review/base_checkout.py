"""Checkout of a project as it was before a change, with the tests that the change adds."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.review.change import Change
from codeopt.review.changed_functions import is_test
from codeopt.review.repository import Repository


@contextlib.contextmanager
def open_base_checkout(repository: Repository, change: Change) -> Iterator[Path]:
    """Write the checkout into a folder that is removed afterwards. Raises UsageError for a change without a commit."""
    if not change.base:
        raise UsageError("--diff does not say what all other files were like; give --base REF to compare")
    with tempfile.TemporaryDirectory(prefix="codeopt-before-") as name:
        folder = Path(os.path.realpath(name))
        git = repository.write_tree(change.base, folder)
        added = [path for path in sorted(change.paths) if path.endswith(".py") and _copied(change.root, folder, path)]
        if added:
            git.ask("add", "--force", "--", *added)
        yield folder


@contextlib.contextmanager
def open_base_version(repository: Repository, commit: str, folder: Path) -> Iterator[Path]:
    """Write the files of a commit into a folder that is removed afterwards; the path of `folder`, one of the work tree,
    as it was. Raises UsageError."""
    place = folder.resolve().relative_to(repository.root.resolve())
    with tempfile.TemporaryDirectory(prefix="codeopt-before-") as name:
        root = Path(os.path.realpath(name))
        repository.write_tree(commit, root)
        if not (root / place).is_dir():
            raise UsageError(f"{folder} was not there in {commit[:12]}: there is nothing to compare it with")
        yield root / place


def _copied(root: Path, folder: Path, path: str) -> bool:
    """Copy a test that is new, since it is evidence of the old code too; False: it is none, or no plain file."""
    source, target = root / path, folder / path
    if not is_test(path) or target.exists() or source.is_symlink() or not source.is_file():
        return False
    if not target.parent.resolve().is_relative_to(folder):
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    return True
