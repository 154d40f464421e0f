"""Whether git tracks an interpreter, or what it loads at its start: then it came with the repository, and to ask it
what it is would be to run that, outside of any sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import GitError, open_git, work_trees

MOST_LINKS = 40
"""As many as the kernel follows."""
ADVICE = "so it is not started unless --python names its interpreter"


def require_untracked(python: Path) -> None:
    """Raise UsageError for an interpreter that git tracks, or of which git cannot say. The one that runs us is started
    already.

    Looked at are the environment around it, each link on the way to the program, and the installation that it takes
    its library from: with `-I -S` a start reads nothing else.
    """
    if not _runs_us(python):
        _require(list(_loaded(python)), python.parent.parent.parent)


def require_untracked_file(path: Path) -> None:
    """Raise UsageError likewise for a file that says where an interpreter is."""
    _require(list(_links(path)), path.parent)


def _runs_us(python: Path) -> bool:
    return python.parent == Path(sys.executable).parent and python.exists() and python.samefile(sys.executable)


# --- what a start reads --------------------------------------------------------------------------


def _loaded(python: Path) -> Iterator[Path]:
    """Files and folders, each by a path whose parent is no link."""
    venv = python.parent.parent
    yield from _links(venv)
    yield from (path for path in _links(python.parent) if path.is_symlink())
    for path in (python, venv / "pyvenv.cfg"):
        yield from _links(path)
    for prefix in (venv, Path(os.path.realpath(python)).parent.parent, *_base(venv)):
        for library in sorted(prefix.glob("lib*/python*")):
            yield from _links(library)


def _base(venv: Path) -> list[Path]:
    """Prefix of the installation that pyvenv.cfg names."""
    try:
        lines = (venv / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    pairs = [line.partition("=") for line in lines]
    return [(venv / value.strip()).parent for key, _, value in pairs if key.strip().lower() == "home"]


def _links(path: Path) -> Iterator[Path]:
    """A path, and whatever it leads to, link by link."""
    for _ in range(MOST_LINKS):
        path = _stored(Path(os.path.realpath(path.parent), path.name))
        yield path
        if not path.is_symlink():
            return
        path = path.parent / path.readlink()


def _stored(path: Path) -> Path:
    """A path by its name's own case: where case does not matter, git tracks `.VENV` and `.venv` is there."""
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return path
    alike = [name for name in names if name.casefold() == path.name.casefold()]
    return path if path.name in names or len(alike) != 1 or not os.path.lexists(path) else path.with_name(alike[0])


# --- what git says -------------------------------------------------------------------------------


def _require(paths: list[Path], place: Path) -> None:
    """Raises UsageError. Where git says nothing counts for the work tree around `place` alone: another repository, such
    as that of pyenv, may be somebody else's, and is not looked at."""
    own = next(work_trees(place), None)
    for path in _outermost(paths):
        for root in work_trees(path.parent):
            try:
                tracked = open_git(root).files(path, "--cached")
            except GitError as error:
                if root == own:
                    raise UsageError(f"whether git tracks {path} is not known, {ADVICE}: {error}") from error
                continue
            if tracked:
                raise UsageError(f"{path} is tracked by git, {ADVICE}")


def _outermost(paths: list[Path]) -> list[Path]:
    """What is below no other of them: git is asked of whole folders."""
    return [path for path in dict.fromkeys(paths) if not set(path.parents) & set(paths)]
