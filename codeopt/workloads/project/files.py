"""The files of a user's project that a run of its command is given: what git tracks, without secrets, and what `--with`
names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.git import tracked_files, work_trees
from codeopt.core.program import python_below
from codeopt.core.run_inputs import is_secret, read_or_fail
from codeopt.core.words import listed
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked, imported_beside, place_beside, project_top
from codeopt.workloads.sandbox_view.view import built_files
from codeopt_sandbox.outcome import Files
from codeopt_sandbox.plain_files import read_bytes

MOST_FILES = 20_000
"""Maximum number of files. All runs share them, and each guest has one working copy in memory."""
LARGEST_MIB = 500
"""Maximum size of all files, MiB."""


@dataclass(frozen=True)
class ProjectFiles:
    """A copy of the project, read once: what the user changes meanwhile counts for nothing."""

    root: Path
    """Resolved; the command runs there."""
    files: Files
    notes: tuple[str, ...] = ()
    """Remarks on what a user may not expect, a line each."""
    linked: tuple[str, ...] = ()
    """Folders that its environment imports from in place, relative to the root."""

    @property
    def room_mib(self) -> int:
        """Room for what a run writes, MiB."""
        # Room for what a run writes is as much as the files take, and no more than this, MiB
        return min(64, (sum(len(content) for _, content in self.files) >> 20) + 1)

    @cached_property
    def contents(self) -> Mapping[str, bytes]:
        return dict(self.files)

    @cached_property
    def import_roots(self) -> tuple[str, ...]:
        """Folders for sys.path, relative to the root."""
        own = ("src", ".") if any(path.startswith("src/") for path, _ in self.files) else (".",)
        return tuple(dict.fromkeys((*own, *self.linked)))


def read_project(folder: Path, with_paths: Sequence[Path] = (), linked: Linked = NO_LINKS) -> ProjectFiles:
    """Read what may be shown. linked: what the environment imports in place, which is shown too where it is imported.
    Raises UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder of a project")
    root = folder.resolve()
    names, notes = _tracked(root)
    sources = {name.as_posix(): root / name for name in names if not is_secret(name)}
    built = {place: path for place, path in built_files(root, names).items() if place.as_posix() not in sources}
    if built:
        notes += (f"built in place and shown too: {listed([*built], 3)}",)
    sources |= {place.as_posix(): root / path for place, path in built.items()}
    for path in with_paths:
        sources |= named_files(path, root)
    files = {name: path for name, path in sources.items() if path.is_file() and not path.is_symlink()}
    if len(files) > MOST_FILES:
        raise UsageError(
            f"{folder} has {len(files):,} files that git tracks, and a run takes at most {MOST_FILES:,}",
            hint="name the folder in it that the command needs",
        )
    if not any(name.endswith(".py") for name in files):
        raise UsageError(f"{folder} has no Python file that git tracks", hint="`git add` it, or name it with --with")
    beside, roots = _linked(root, linked, files)
    found, size = list[tuple[str, bytes]](), 0
    for name, path in (files | beside).items():
        size += path.stat().st_size
        if size > LARGEST_MIB << 20:
            raise UsageError(
                f"{folder} has more than {LARGEST_MIB} MiB of files, which a run cannot be shown",
                hint="name the folder in it that the command needs",
            )
        found.append((name, read_or_fail(path)))
    return ProjectFiles(root, tuple(found), notes, roots)


def _linked(root: Path, linked: Linked, files: Mapping[str, Path]) -> tuple[dict[str, Path], tuple[str, ...]]:
    """Return the files outside of the folder that the environment imports in place, by their place in a run.

    The second value is the folders to import from. Files of the same repository have the same place for each checkout.
    """
    top = project_top(root)
    inside, outside = linked.divided(root / "any.py", top)
    beside = (*(each for each in inside if not each.is_relative_to(root)), *outside)
    places = {each: place_beside(each, top) for each in beside}
    texts = (read_bytes(path) for name, path in files.items() if name.endswith(".py"))
    shown = {(places[folder] / name).as_posix(): folder / name for folder, name in imported_beside(beside, texts)}
    roots = [each.relative_to(root).as_posix() for each in inside if each.is_relative_to(root)]
    roots += [place.as_posix() for place in places.values() if any(Path(name).is_relative_to(place) for name in shown)]
    return shown, tuple(roots)


def _tracked(root: Path) -> tuple[list[Path], tuple[str, ...]]:
    """Return relative paths of the project's files, and notes about skipped ones. Raises UsageError if git fails."""
    tracked = tracked_files(root)
    if tracked:
        found = tracked
        modules = [path for path in found if (root / path).is_dir()]
        return found, (f"submodules are not shown ({listed(modules, 3)}); --with shows one",) * bool(modules)
    found = [path.relative_to(root) for path in python_below(root)]
    git_is_missing = tracked is None and next(work_trees(root), None)
    without = "there is no git program here" if git_is_missing else "not a git repository"
    why = without if tracked is None else "git tracks none of its files"
    return found, (f"{why}: its {len(found)} Python files are shown, others by --with",)


def named_files(path: Path, root: Path) -> dict[str, Path]:
    """Files that --with names, by their place in the run's folder. Raises UsageError."""
    if not path.exists():
        raise UsageError(f"--with {path}: there is no such file or folder")
    whole = path.resolve()
    place = whole.relative_to(root) if root in whole.parents else Path(whole.name)
    if whole.is_file():
        return {place.as_posix(): whole}
    below = (each for each in sorted(whole.rglob("*")) if not is_secret(each.relative_to(whole)))
    return {(place / each.relative_to(whole)).as_posix(): each for each in below if each.is_file()}
