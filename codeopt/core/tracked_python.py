"""The refusal of interpreters that came with a repository: asking one for its version would run it outside of any
sandbox."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import GitError, open_git, work_trees

MAX_LINKS = 40
"""Most links followed on the way to a file, the kernel's own limit."""
ADVICE = "so it is not started unless --python names its interpreter"


def require_untracked(python: Path) -> None:
    """Refuse an interpreter that git tracks, or about which git cannot say. The one that runs codeopt is started
    already and passes.

    The files looked at are the environment around it, each link on the way to the program, and the installation that
    holds its library: with `-I -S` a start reads nothing else. Raises UsageError.
    """
    if not _runs_us(python):
        _require(list(_loaded(python)), python.parent.parent.parent)


def require_untracked_file(path: Path) -> None:
    """Refuse a file that git tracks, or about which git cannot say, where the file names an interpreter.

    Raises UsageError.
    """
    _require(list(_links(path)), path.parent)


def _runs_us(python: Path) -> bool:
    return python.parent == Path(sys.executable).parent and python.exists() and python.samefile(sys.executable)


# --- what a start reads --------------------------------------------------------------------------


def _loaded(python: Path) -> Iterator[Path]:
    """The files and folders that a start of the interpreter reads, each by a path whose parent is no link."""
    venv = python.parent.parent
    yield from _links(venv)
    yield from (path for path in _links(python.parent) if path.is_symlink())
    for path in (python, venv / "pyvenv.cfg"):
        yield from _links(path)
    for prefix in (venv, Path(os.path.realpath(python)).parent.parent, *_base(venv)):
        for library in sorted(prefix.glob("lib*/python*")):
            yield from _links(library)


def _base(venv: Path) -> list[Path]:
    """Prefix of the installation that pyvenv.cfg names, as a list of one; empty where there is none."""
    try:
        lines = (venv / "pyvenv.cfg").read_text("utf-8", "replace").splitlines()
    except OSError:
        return []
    pairs = [line.partition("=") for line in lines]
    return [(venv / value.strip()).parent for key, _, value in pairs if key.strip().lower() == "home"]


def _links(path: Path) -> Iterator[Path]:
    """A path, and each one on its way from link to link."""
    for _ in range(MAX_LINKS):
        path = _stored(Path(os.path.realpath(path.parent), path.name))
        yield path
        if not path.is_symlink():
            return
        path = path.parent / path.readlink()


def _stored(path: Path) -> Path:
    """A path with its last name spelt as on disk: on a file system that ignores case, git may track `.VENV` where
    `.venv` is asked for."""
    try:
        names = [each.name for each in path.parent.iterdir()]
    except OSError:
        return path
    alike = [name for name in names if name.casefold() == path.name.casefold()]
    return path if path.name in names or len(alike) != 1 or not os.path.lexists(path) else path.with_name(alike[0])


# --- what git says -------------------------------------------------------------------------------


def _require(paths: list[Path], place: Path) -> None:
    """Refuse paths that git tracks. Raises UsageError.

    A repository that git cannot read is a reason only if it is the work tree around `place`: another one, such as
    pyenv's own, may belong to somebody else and is not looked at.
    """
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
    """The paths that are below no other of them: git is asked about whole folders."""
    return [path for path in dict.fromkeys(paths) if not set(path.parents) & set(paths)]
