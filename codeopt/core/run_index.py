"""The list of saved runs, and a run found by name: its drafts, its result, and the text that can be applied."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.old_runs import files_in
from codeopt.core.ownership import foreign, refusal, require_own, top_of
from codeopt.core.program import FileChange, Program, as_source, read_program
from codeopt.core.revision import Revision
from codeopt.core.run_store import RunFolder, SavedRun, digest

RESULT = "codeopt.improve/1"
NEWEST = "last"
"""Name of the newest run."""
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})
"""Folders of version control systems, whose files can run commands."""


@dataclass(frozen=True)
class RunListing:
    """A folder of a run, before its history is read."""

    path: Path
    result: Mapping[str, Any]
    """The result of `codeopt improve --json`; empty where the run did not end, or its file is broken."""

    @property
    def ended(self) -> bool:
        """Whether the run has a result."""
        return bool(self.result)

    @property
    def target(self) -> str:
        """The target as the user wrote it; the folder's name where that was not kept."""
        return str(self.result.get("target") or self.result.get("file") or self.path.name)

    @property
    def title(self) -> str:
        """The target for people; for a project, which is a folder, its name and the command."""
        command = self.result.get("command")
        return f"{Path(self.result.get('folder', '')).name}: {command}" if command else self.target


@dataclass(frozen=True)
class StoredRun:
    """A run with its history, its result and its texts."""

    listing: RunListing
    saved: SavedRun
    original: Revision
    """The files as they were, to the character."""
    best: Revision | None
    """The files with the accepted draft; None when nothing was accepted."""

    @property
    def result(self) -> Mapping[str, Any]:
        """The object of `codeopt improve --json`; empty of a run that did not end."""
        return self.listing.result

    @property
    def file(self) -> Path:
        """The user's file; a relative name starts where the run was started."""
        return Path(self.result.get("folder", ""), self.result.get("file", ""))


@dataclass(frozen=True)
class RunList:
    """The runs of a folder, the newest first. A name begins with the second it was made in."""

    own: tuple[RunListing, ...]
    left_out: Mapping[Path, str]
    """Folder -> why it is not the user's own, so that nothing of it is read."""


def list_runs(home: Path) -> list[RunListing]:
    """The user's own runs below `home`, the newest first."""
    return [*runs_in(home).own]


def runs_in(home: Path) -> RunList:
    """All runs below `home`: the user's own, and those left out with the reason."""
    found = sorted((home / "runs").glob("*/state.json"), key=lambda path: path.parent.name, reverse=True)
    folders = [path.parent for path in found]
    left_out = foreign(folders)
    return RunList(tuple(RunListing(each, _result(each)) for each in folders if each not in left_out), left_out)


def open_run(name: str, home: Path) -> StoredRun:
    """The run of a given name: a folder, one below `home`, a part of its name, or `last`.

    Raises UsageError where there is none, or several, or it cannot be read or is not the user's own.
    """
    return read_run(find_run(name, home))


def read_run(path: Path) -> StoredRun:
    """The run in a folder that is known to be the user's own.

    Raises UsageError where it cannot be read.
    """
    listing, saved = RunListing(path, _result(path)), RunFolder(path).read()
    original = saved.history.original.revision
    return StoredRun(listing, saved, _revision(path / "original") or original, _revision(path / "best"))


def named_run(name: Path | None, home: Path) -> Path | None:
    """The folder of a run to go on with: a path as it is, and what `codeopt runs` lists by name, or a part of it.

    Raises UsageError where several runs have the part, or the run is not the user's own.
    """
    if name is None or name.exists() or len(name.parts) != 1:
        return name
    runs = runs_in(home)
    known = [listing.path.name for listing in runs.own] + [path.name for path in runs.left_out]
    return find_run(str(name), home) if str(name) == NEWEST or any(str(name) in each for each in known) else name


def find_run(name: str, home: Path) -> Path:
    """The folder of a run.

    Raises UsageError when there is none, or several, or it is not the user's own.
    """
    if (Path(name) / "state.json").is_file():
        require_own(Path(name), f"the run in {name}")
        return Path(name)
    runs = runs_in(home)
    known = [listing.path for listing in runs.own]
    if not known and not runs.left_out:
        raise UsageError(f"there are no runs in {home / 'runs'}; codeopt improve makes them (--run-dir DIR: elsewhere)")
    found = known[:1] if name == NEWEST else [path for path in known if name in path.name]
    if len(found) == 1:
        return found[0]
    if not found:
        for path, why in runs.left_out.items():
            if name == NEWEST or name in path.name:
                raise refusal(f"the run in {path}", why)
        raise UsageError(f"there is no run {name!r} in {home / 'runs'}; `codeopt runs` lists them")
    raise UsageError(f"{name!r} is a part of {len(found)} runs' names, such as {found[0].name} and {found[1].name}")


def program_to_change(run: StoredRun) -> Program:
    """The user's file, if it still is as it was when the run began.

    Raises UsageError where nothing was accepted, the file has changed, or it may not be written to.
    """
    require_best(run)
    program = read_program(file_to_change(run))
    if digest(program.text) == run.result.get("sha256_after"):
        raise UsageError(f"{run.file} holds the result of this run already")
    if Revision.of(program.text) != run.original:
        raise UsageError(
            f"{run.file} has changed since the run; it is left alone (codeopt diff {run.listing.path} | patch -p1 "
            "applies what still fits)"
        )
    return program


def changes_of_run(run: StoredRun) -> tuple[FileChange, ...]:
    """The files that a run changes, as they were when it began; of a project those below its folder.

    Raises UsageError where nothing was accepted, or a file may not be written to.
    """
    best, place = require_best(run), file_to_change(run)
    if best.is_one_file:
        (path,) = best
        file = Program(place, as_source(run.original[path]), run.original[path], _place_of(run, place))
        return (FileChange(path, file, best[path]),)
    changed = best.changed_files(run.original)
    files = {path: Program(place / path, as_source(run.original[path]), run.original[path], path) for path in changed}
    return tuple(FileChange(path, file, best[path]) for path, file in files.items())


def _place_of(run: StoredRun, file: Path) -> str:
    """Name of a run's file where the current folder is another than the run's: from the top of the run's project. Empty
    where the current folder tells it."""
    top = top_of(run.listing.path)
    here, place = Path.cwd().resolve(), file.resolve()
    return "" if place.is_relative_to(here) or not place.is_relative_to(top) else place.relative_to(top).as_posix()


def file_to_change(run: StoredRun) -> Path:
    """Path of the user's file, in the repository or folder around the current folder or around the saved run.

    Raises UsageError for any other path, whatever links lead there, and for the files of version control.
    """
    try:
        file = run.file.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # too long, links in a circle, a null character
        raise UsageError(f"the run in {run.listing.path} is of a file that cannot be: {error}") from error
    roots = [top_of(Path()), top_of(run.listing.path)]
    root = next((each for each in roots if file.is_relative_to(each)), None)
    if root is None:
        raise UsageError(
            f"the run in {run.listing.path} is of {run.file}, which is outside of {roots[0]}; where that is meant, "
            "name the run's folder from a folder above the file"
        )
    if {part.lower() for part in file.parts} & VERSION_CONTROL:
        raise UsageError(f"the run in {run.listing.path} is of {run.file}, which belongs to version control")
    return run.file


def require_best(run: StoredRun) -> Revision:
    """The accepted files.

    Raises UsageError when there is none.
    """
    if run.best is not None and run.listing.ended:
        return run.best
    if not run.listing.ended:
        raise UsageError(
            f"the run in {run.listing.path} has not ended; codeopt improve TARGET --resume {run.listing.path} goes on"
        )
    raise UsageError(f"nothing was accepted in {run.listing.path}: {run.result.get('reason', 'no reason is known')}")


def _result(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads((path / "result.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    known = isinstance(found, dict) and found.get("schema") == RESULT and _is_sound(found)
    return {"best_round": None, **found} if known else {}


def _is_sound(found: Mapping[str, Any]) -> bool:
    """Whether each field that is read by itself has the right type, where it is present."""
    speedup = found.get("speedup")
    kinds = {
        "target": str, "file": str, "folder": str, "reason": str, "stopped": str, "sha256_after": str | None,
        "accepted": bool, "seconds": int | float, "command": str | None, "speedup": dict | None,
        "notes": list, "caveats": list, "shortfalls": list,
    }  # fmt: skip
    return all(isinstance(found[name], kind) for name, kind in kinds.items() if name in found) and (
        not speedup or isinstance(speedup.get("ratio"), int | float)
    )


def _revision(place: Path) -> Revision | None:
    """The files that a run kept; None where there are none."""
    files = {path.relative_to(place).as_posix(): _text(path) for path in sorted(place.rglob("*")) if path.is_file()}
    if files:
        return Revision({path: text for path, text in files.items() if text is not None})
    text = _text(place.with_suffix(".py"))
    return files_in(text) if text is not None else None


def _text(path: Path) -> str | None:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, ValueError):
        return None
