"""The refusal of interpreters that came with a repository: asking one for its version would run it outside of any
sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import GitError, GitRefused, open_git, work_trees
from codeopt_sandbox.plain_files import read_text

MAX_LINKS = 40
"""Most links followed on the way to a file, the kernel's own limit."""
ADVICE = "--python PATH starts it all the same"


def require_untracked(python: Path, places: Iterable[Path]) -> None:
    """Refuse an interpreter that git tracks in a repository around one of the places, or about which git cannot say.

    The one that runs codeopt is started already and passes. The files looked at are the environment around it, each
    link on the way to the program, and the installation that holds its library: with `-I -S` a start reads nothing
    else. Raises UsageError.
    """
    # The outermost work tree: a superproject brought its submodules. pyenv is a work tree, too, but not around a place.
    trees = {tree for place in places for tree in [*work_trees(place)][-1:]}
    if trees and not _runs_us(python):
        _require(path for path in _loaded(python.absolute()) if any(path.is_relative_to(tree) for tree in trees))


def require_untracked_file(path: Path) -> None:
    """Refuse a file that git tracks, or about which git cannot say, where the file names an interpreter.

    Raises UsageError.
    """
    _require(_way(path.absolute()))


def _runs_us(python: Path) -> bool:
    return python.parent == Path(sys.executable).parent and python.exists() and python.samefile(sys.executable)


# --- what a start reads --------------------------------------------------------------------------


def _loaded(python: Path) -> Iterator[Path]:
    """The files and folders that a start of the interpreter reads, each by a path whose parent is no link."""
    venv = python.parent.parent
    for path in (python, venv, python.parent / "pyvenv.cfg", venv / "pyvenv.cfg"):
        yield from _way(path)
    for prefix in (venv, Path(os.path.realpath(python)).parent.parent, *_base(venv)):
        for library in sorted({*prefix.glob("lib*/python*"), *prefix.glob("lib*/libpython*")}):
            yield from _way(library)


def _base(venv: Path) -> list[Path]:
    """Return the prefix of the installation that pyvenv.cfg names, as a list of at most one."""
    try:
        lines = read_text(venv / "pyvenv.cfg", "replace").splitlines()
    except OSError:
        return []
    pairs = [line.partition("=") for line in lines]
    return [(venv / value.strip()).parent for key, _, value in pairs if key.strip().lower() == "home"]


def _way(path: Path) -> Iterator[Path]:
    """Each link on the way to an absolute path, by where it is stored, and the file or folder at its end."""
    at, parts, links = Path(path.anchor), [*reversed(path.parts[1:])], 0
    while parts:
        part = parts.pop()
        at = at.parent if part == ".." else _stored(at / part)
        if at.is_symlink() and links < MAX_LINKS:
            yield at
            target = at.readlink()
            at = Path(target.anchor) if target.anchor else at.parent
            parts += reversed(target.parts[1:] if target.anchor else target.parts)
            links += 1
    yield at


def _stored(path: Path) -> Path:
    """Return a path with its last name spelt as on disk.

    On a file system that ignores case, git may track `.VENV` if `.venv` is asked for.
    """
    if path.name == path.name.swapcase() or not os.path.lexists(path.with_name(path.name.swapcase())):
        return path
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return path
    alike = [name for name in names if name.casefold() == path.name.casefold()]
    return path if path.name in names or len(alike) != 1 else path.with_name(alike[0])


# --- what git says -------------------------------------------------------------------------------


def _require(paths: Iterable[Path]) -> None:
    """Refuse paths that git tracks. Raises UsageError.

    Each path is asked about in every work tree around it. Git may refuse to open one that root owns, such as an
    installation for all users: nobody but root brought that.
    """
    inside: dict[Path, set[Path]] = {}
    for path in paths:
        for root in work_trees(path.parent):
            inside.setdefault(root, set()).add(path)
    for root, asked in inside.items():
        try:
            tracked = open_git(root).tracked(sorted(asked))
        except GitError as error:
            if isinstance(error, GitRefused) and root.stat().st_uid == 0:
                continue
            raise UsageError(
                f"whether git tracks {min(asked)} is not known, so it is not started: {error.words}", hint=ADVICE
            ) from error
        if tracked:
            raise UsageError(f"{tracked[0]} is tracked by git, so it is not started", hint=ADVICE)
