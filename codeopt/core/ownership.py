"""Files that are not trusted, since git tracks them or another user owns them, and packages that are installed in
place.

A run, a batch or a recording decides which text is written into the user's files. So this user's own commands must have
left it there. A repository can bring such files, a link in their place, or a folder that git would take for a
repository of its own. A file whose owner is unknown counts as foreign.
"""

from __future__ import annotations

import ast
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import open_git, work_trees
from codeopt_sandbox.plain_files import MAX_BYTES, read_bytes, read_text

STORE = ".codeopt"
"""The folder that runs and recordings are kept in unless another is named."""


def foreign(paths: Iterable[Path], *, links: bool = False) -> dict[Path, str]:
    """The paths that are not the user's own, each with the reason. A path where nothing exists yet is nobody's, and
    left out. links: only links on the way to them count."""
    places: dict[Path, list[Path]] = {}
    found: dict[Path, str] = {}
    for path in paths:
        try:
            places[path] = [place for place in _places(path) if not links or place.is_symlink()]
            why = next(filter(None, map(_of_another_user, places[path])), "")
        except (OSError, RuntimeError) as error:  # a closed folder; links that lead in a circle
            why = f"its owner is unknown ({error})"
        if why:
            found[path] = why
    return {**_brought({path: where for path, where in places.items() if path not in found}), **found}


def require_own(path: Path, what: str) -> None:
    """Refuse a path that is not the user's own.

    what: the subject of the message, such as `the run in DIR`. Raises UsageError.
    """
    if why := foreign([path]).get(path):
        raise refusal(what, why)


def refusal(what: str, why: str) -> UsageError:
    """The error for a path that is not the user's own."""
    return UsageError(f"{what} is not yours: {why}", hint="copy it to another place if you trust it")


def require_own_way(path: Path, what: str, hint: str = "") -> None:
    """Raise UsageError for a path that is reached by a link which is not the user's own, with any file at its end.

    what: the subject of the message.
    """
    if why := foreign([path], links=True).get(path):
        raise UsageError(f"{what} is reached by a link that is not yours: {why}", hint=hint)


def read_given(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read a file that a flag or a setting names, or that lies where one is looked for. A link to it must be the user's
    own: one that a repository brings may lead to any file of the user's.

    Raises UsageError for such a link; OSError, as `read_bytes` does.
    """
    require_own_way(path, str(path), "name the file that it leads to")
    return read_bytes(path, limit)


def top_of(path: Path) -> Path:
    """The folder that a user works in at `path`: the top of a work tree, else the folder of a store, else itself."""
    place = path.resolve()
    store = next((each.parent for each in (place, *place.parents) if each.name == STORE), place)
    return next(work_trees(place), store)


def _places(path: Path) -> Iterator[Path]:
    """Yield each link on the way to a path, by its own place, then the file or folder at the end if it exists."""
    at = Path(path.anchor or Path.cwd())
    for part in path.parts[1:] if path.anchor else path.parts:
        at = at.parent if part == ".." else at / part
        if at.is_symlink():
            yield at.parent.resolve() / at.name
            at = at.resolve()
    if at.exists():
        yield at.resolve()


def _of_another_user(place: Path) -> str:
    """Return the reason why a place is another user's, the files of a folder included. Empty if it is this user's."""
    mine = {os.geteuid(), 0, *map(int, filter(str.isdigit, [os.environ.get("SUDO_UID", "")]))}
    for each in [place, *(place.iterdir() if place.is_dir() and not place.is_symlink() else ())]:
        status = each.lstat()
        if status.st_uid not in mine:
            return f"it belongs to another user (number {status.st_uid})"
        if each != place and stat.S_ISLNK(status.st_mode):
            return f"{each.name} in it is a link"
    return ""


def _brought(asked: Mapping[Path, Sequence[Path]]) -> dict[Path, str]:
    """The reason why a repository may have brought a path, by path. asked: the places of each path. git is started once
    a repository."""
    inside: dict[Path, set[Path]] = {}
    for place in {place for places in asked.values() for place in places}:
        for root in work_trees(place.parent):
            inside.setdefault(root, set()).add(place)
    known = {root: _tracked(root, sorted(places)) for root, places in inside.items()}
    found = {}
    for path, places in asked.items():
        said = (_said(known[root], place) for place in places for root in work_trees(place.parent))
        if why := next(filter(None, said), ""):
            found[path] = why
    return found


def _said(tracked: set[Path] | str, place: Path) -> str:
    """The reason why a place is not the user's own, by git's listing of a work tree."""
    if isinstance(tracked, str):
        return f"git cannot say whether it came with the repository ({tracked})"
    return "git tracks it, so it came with the repository" if place in tracked else ""


def _tracked(root: Path, places: Sequence[Path]) -> set[Path] | str:
    """Tracked files at and below the places, and the folders on the way to them; a message where git cannot say."""
    try:
        return {place for file in open_git(root).tracked(places) for place in (file, *file.parents)}
    except UsageError as error:
        return str(error)


# Folders of sources that an environment imports directly, instead of a copy among its packages.
#
# `pip install -e` links them, and uv, poetry, hatch and pdm link the members of a workspace. Files are only read, no
# code runs.

PACKAGES = ("site-packages", "dist-packages")
FINDERS = ("__editable__*.py", "_editable_impl_*.py", "_editable_skbc_*.py", "_*_editable*.py")
"""Modules with a finder, which setuptools, the library `editables` (hatchling, pdm-backend) and scikit-build-core leave
where a folder in a .pth file would show too much."""


def package_folders(libraries: Sequence[str]) -> list[Path]:
    """Folders of installed packages among those that an interpreter imports from."""
    named = dict.fromkeys(Path(library).resolve() for library in libraries)
    inside = [folder / name for folder in named for name in PACKAGES]
    return [folder for folder in dict.fromkeys((*named, *inside)) if folder.name in PACKAGES and folder.is_dir()]


def linked_folders(libraries: Sequence[str]) -> tuple[Path, ...]:
    """Folders outside of an interpreter's packages that it imports from, resolved. Raises OSError."""
    own = package_folders(libraries)
    found = {place.resolve() for folder in own for place in _linked(folder)}
    inside = {place for place in found if any(place.is_relative_to(folder) for folder in own)}
    return tuple(place for place in sorted(found - inside) if place.is_dir() and place.parent != place)


def _linked(folder: Path) -> Iterator[Path]:
    for file in (*folder.glob("*.pth"), *folder.glob("*.egg-link")):
        for line in read_text(file, "replace").splitlines():
            word = line.strip()
            # Read in the same way as `site`; lines of code are skipped.
            if word and not word.startswith(("#", "import ", "import\t")) and "\0" not in word:
                yield folder / word
    for pattern in FINDERS:
        for file in folder.glob(pattern):
            # folders that hold the packages and modules that the finder names by absolute paths
            for word in _texts(read_text(file, "replace")):
                if word.startswith("/") and "\n" not in word:
                    path = Path(word)
                    place = path.parent.parent if path.name == "__init__.py" else path.parent
                    while (place / "__init__.py").is_file():
                        place = place.parent
                    yield place


def _texts(source: str) -> Iterable[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
