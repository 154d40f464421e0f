"""A change: the files that differ from its base, as they were and as they are in the working tree."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import NoGit, work_trees
from codeopt.core.program import python_below
from codeopt.review.repository import Repository, open_repository


@dataclass(frozen=True)
class ChangedFile:
    """A Python file that the change adds or alters."""

    path: str
    """Path below the root, with `/`."""
    old_path: str
    """Path before the change."""
    old: str | None
    """Text before the change. None: the file is new, or was no text."""


@dataclass(frozen=True)
class Change:
    """A change of a work tree: what is reviewed."""

    root: Path
    base: str
    """Commit that the change starts from. Empty where all is new."""
    head: str
    diff: str
    files: tuple[ChangedFile, ...]
    paths: frozenset[str] = frozenset()
    """Paths of all files that the change touches, of any kind."""
    gone: tuple[str, ...] = ()
    """Texts of Python files that the change removes or moves; what came from there is not new."""
    closed: tuple[tuple[str, str], ...] = ()
    """Folders that cannot be read, each with the reason."""


def find_base(repository: Repository, reference: str | None, environment: Mapping[str, str] = os.environ) -> str:
    """Find the commit that a change starts from: `reference`, else the CI system's base, else the fork point of the
    main branch. Raises UsageError."""
    if reference:
        return repository.fork_point(reference)
    if commit := environment.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        return repository.commit(commit)
    named = environment.get("GITHUB_BASE_REF")
    names = [f"origin/{named}", named] if named else ["origin/HEAD", "origin/main", "main", "origin/master", "master"]
    for name in names:
        if repository.has(name):
            return repository.fork_point(name)
    hint = "give --base REF"
    raise UsageError(f"the start of the change is not known: none of {', '.join(names)} is here", hint=hint)


def change_since(repository: Repository, base: str) -> Change:
    """Read the change from a commit to the working tree. Raises UsageError."""
    files, gone = [], []
    entries = repository.entries(base)
    paths = frozenset(path for entry in entries for path in (entry.path, entry.old_path))
    for entry in entries:
        if not (entry.path.endswith(".py") or entry.old_path.endswith(".py")):
            continue
        old = _text(repository.old_bytes(base, entry.old_path)) if entry.status not in "AT" else None
        if entry.status in "DR" and old is not None:
            gone.append(old)
        if entry.status != "D" and entry.regular and entry.path.endswith(".py"):
            files.append(ChangedFile(entry.path, entry.old_path, old))
    head = repository.commit("HEAD")
    return Change(repository.root, base, head, repository.diff(base), tuple(files), paths, tuple(gone))


def whole_files(paths: Sequence[Path]) -> tuple[Repository | None, Change]:
    """Make a change in which all below the paths is new: what git does not ignore, or python_below lists without it."""
    folders = [path if path.is_dir() else path.parent for path in paths]
    try:
        repository = open_repository(folders[0]) if any(work_trees(folders[0])) else None
    except NoGit:
        repository = None
    root = repository.root if repository else Path(os.path.commonpath(folders))
    errors: list[OSError] = []
    if repository:
        names = repository.names()
        # An environment that git does not ignore is no part of the project.
        environments = tuple(name.removesuffix("pyvenv.cfg") for name in names if name.endswith("/pyvenv.cfg"))
        named = (root / name for name in names if name.endswith(".py") and not name.startswith(environments))
        found = [path for path in named if path.is_file() and not path.is_symlink()]
    else:
        found = [path for each in paths for path in python_below(each, errors.append)]
    below = dict.fromkeys(path.relative_to(root).as_posix() for path in found)
    closed = tuple((os.path.relpath(each.filename, root), f"cannot read it: {each.strerror}") for each in errors)
    return repository, Change(root, "", "", "", tuple(ChangedFile(name, name, None) for name in below), closed=closed)


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError:
        return None
