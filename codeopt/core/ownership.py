"""Whose a saved thing is: what git tracks, or another user owns, was brought by others and is not believed.

A run, a batch or a recording decides what is written into the user's files, so it must be one that this user's own
commands left here. A repository can bring such files, a link in their place, or a folder that git would take for a
repository of its own. Where it cannot be told whose something is, it is nobody's.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import open_git, work_trees

TRACKED = "git tracks it, so it came with the repository"
STORE = ".codeopt"
"""The folder that runs and recordings are kept in unless another is named."""
AT_ONCE = 500
"""Paths in one question to git, whose command line has an end."""


def foreign(paths: Iterable[Path]) -> dict[Path, str]:
    """Those of `paths` that are not the user's own, each with why; where nothing is yet, nothing is anybody's."""
    return _foreign(paths, lambda path: [*_places(path)])


def require_own(path: Path, what: str) -> None:
    """Raises UsageError for what is not the user's own. what: begins the message, `the run in DIR`."""
    if why := foreign([path]).get(path):
        raise refusal(what, why)


def refusal(what: str, why: str) -> UsageError:
    """The error for what is not the user's own."""
    return UsageError(f"{what} is not yours: {why}; it is left alone (copy it elsewhere if you trust it)")


def require_own_way(path: Path, what: str) -> None:
    """Raises UsageError where a link leads to `path` that is not the user's own, whatever lies there."""
    if why := _foreign([path], lambda each: [place for place in _places(each) if place.is_symlink()]).get(path):
        raise UsageError(f"{what} is reached by a link that is not yours: {why}; nothing is written there")


def top_of(path: Path) -> Path:
    """The folder that a user works in at `path`: the top of a work tree, else what a store is in, else itself."""
    place = path.resolve()
    store = next((each.parent for each in (place, *place.parents) if each.name == STORE), place)
    return next(work_trees(place), store)


def _foreign(paths: Iterable[Path], places_of: Callable[[Path], list[Path]]) -> dict[Path, str]:
    places: dict[Path, list[Path]] = {}
    found: dict[Path, str] = {}
    for path in paths:
        try:
            places[path] = places_of(path)
            why = next(filter(None, map(_of_another_user, places[path])), "")
        except (OSError, RuntimeError) as error:  # a closed folder; links that lead in a circle
            why = f"it cannot be told whose it is ({error})"
        if why:
            found[path] = why
    return {**_brought({path: where for path, where in places.items() if path not in found}), **found}


def _places(path: Path) -> Iterator[Path]:
    """Where a path leads: each link on the way, where it stands, and what is at its end. Nothing where that is none."""
    at = Path(path.anchor or Path.cwd())
    for part in path.parts[1:] if path.anchor else path.parts:
        at = at.parent if part == ".." else at / part
        if at.is_symlink():
            yield at.parent.resolve() / at.name
            at = at.resolve()
    if at.exists():
        yield at.resolve()


def _of_another_user(place: Path) -> str:
    """Why it is another user's; empty where it is ours. Of a folder, what lies in it counts, too."""
    mine = {os.geteuid(), 0, *map(int, filter(str.isdigit, [os.environ.get("SUDO_UID", "")]))}
    for each in [place, *(place.iterdir() if place.is_dir() and not place.is_symlink() else ())]:
        status = each.lstat()
        if status.st_uid not in mine:
            return f"it belongs to another user (number {status.st_uid})"
        if each != place and stat.S_ISLNK(status.st_mode):
            return f"{each.name} in it is a link"
    return ""


def _brought(asked: Mapping[Path, Sequence[Path]]) -> dict[Path, str]:
    """Path -> why a repository may have brought it; asked: each with its places. One question a repository."""
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
    """Why a place is not the user's own, by what git says of a work tree."""
    if isinstance(tracked, str):
        return f"git cannot say whether it came with the repository ({tracked})"
    return TRACKED if place in tracked else ""


def _tracked(root: Path, places: Sequence[Path]) -> set[Path] | str:
    """What git tracks of these places and below them, and the folders on the way; a text where it cannot say."""
    found: set[Path] = set()
    try:
        for at in range(0, len(places), AT_ONCE):
            inside = [str(place.relative_to(root)) for place in places[at : at + AT_ONCE]]
            listed = open_git(root).ask("ls-files", "-z", "--cached", "--", *inside)
            files = [root / os.fsdecode(name) for name in listed.split(b"\0") if name]
            found.update(*([file, *file.parents] for file in files))
    except UsageError as error:
        return str(error)
    return found
