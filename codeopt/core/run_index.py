"""The list of saved runs, and a run found by name: its drafts, its result, and the text that can be applied."""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.ownership import STORE, foreign, refusal, require_own, top_of
from codeopt.core.program import FileChange, Program, as_source, read_program
from codeopt.core.revision import UNCHANGED, Revision, added, holds
from codeopt.core.run_store import RUNS, STATE, RunFolder, SavedRun, functions_of, is_several, saved_command
from codeopt_sandbox.plain_files import read_bytes, read_text

RESULTS = frozenset({"codeopt.improve/1", "codeopt.improve/2", "codeopt.improve-several/1"})
NEWEST = "last"
PLACES = (RUNS, "problems")
"""Folders of runs below that of --run-dir: one of single runs, and one of a batch."""
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".jj", ".bzr"})
"""Folders of version control systems, whose files can run commands."""
APPLY = "codeopt apply"
"""Command that applies the newest run of the current folder."""
UNDO = "codeopt undo"
"""Command that undoes it."""


@dataclass(frozen=True)
class RunListing:
    """A folder of a run, before its history is read."""

    path: Path
    result: Mapping[str, Any]
    """The result of `codeopt improve --json`. Empty if the run did not end, or its file is broken."""
    name: str = ""
    """Name of the function in its run of several. Empty for any other run."""

    @property
    def ended(self) -> bool:
        """Return whether the run has a result."""
        return bool(self.result)

    @property
    def target(self) -> str:
        """Return the target as the user wrote it; of a run without a result the words of its command, if kept."""
        if known := self.name or self.result.get("target") or self.result.get("file"):
            return str(known)
        command = saved_command(self.path)
        return " ".join(command[1][1:]) if command else self.path.name

    @property
    def title(self) -> str:
        """The target for people; for a project, which is a folder, its name and the command."""
        command = self.result.get("command")
        return f"{Path(self.result.get('folder', '')).name}: {command}" if command else self.target


@dataclass(frozen=True)
class StoredRun:
    """A run with its history, its result and its texts."""

    listing: RunListing
    state: SavedRun | None
    """Empty for a run of several functions, which have a state each."""
    original: Revision
    """The files as they were, to the character."""
    best: Revision | None
    """The files with the accepted draft. None if nothing was accepted."""
    whole: StoredRun | None = None
    """The run of several functions that this one is a part of. None for any other."""

    @property
    def saved(self) -> SavedRun:
        """The history and what it cost. Raises UsageError for a run of several functions."""
        if self.state is None:
            names = ", ".join(function.name for function in self.functions)
            raise UsageError(
                f"the run in {self.listing.path} is of several functions", hint=f"name one: {names or 'none'}"
            )
        return self.state

    @property
    def functions(self) -> list[RunListing]:
        """The runs of the functions of a run of several, in the order in which they were begun."""
        return functions_in(self.listing.path)

    @property
    def result(self) -> Mapping[str, Any]:
        """Return the object of `codeopt improve --json`. Empty for a run that did not end."""
        return self.listing.result

    @property
    def file(self) -> Path:
        """Return the user's file. A relative name starts in the folder that the run was started in, or where that was
        moved to together with the run."""
        named, place = Path(self.result.get("run", "")), self.listing.path.resolve()
        folder = Path(self.result.get("folder", ""))
        if named.parts and not named.is_absolute() and place.parts[-len(named.parts) :] == named.parts:
            folder = place.parents[len(named.parts) - 1]
        return Path(folder, self.result.get("file", ""))


@dataclass(frozen=True)
class RunList:
    """The runs of a folder, the newest first. A name begins with the second it was made in."""

    own: tuple[RunListing, ...]
    left_out: Mapping[Path, str]
    """Folder -> cause why it is not the user's own. No file in such a folder is read."""


def functions_in(path: Path) -> list[RunListing]:
    """The runs of the functions in the folder of a run of several; none in any other."""
    return [RunListing(each, _result(each), name) for name, each in functions_of(path).items()]


def runs_in(home: Path) -> RunList:
    """All runs below `home`: the user's own, and those left out with the reason."""
    states = (path for place in PLACES for path in (home / place).glob(f"*/{STATE}"))
    found = sorted(states, key=lambda path: path.parent.name, reverse=True)
    folders = [path.parent for path in found]
    left_out = foreign(folders)
    return RunList(tuple(RunListing(folder, _result(folder)) for folder in folders if folder not in left_out), left_out)


def open_run(name: str, home: Path) -> StoredRun:
    """Return the run of a given name: a folder, one below `home`, a part of its name, `last`, or its target.

    Raises UsageError if there is no such run, or several, or it cannot be read or is not the user's own.
    """
    return read_run(find_run(name, home))


def read_run(path: Path) -> StoredRun:
    """The run in a folder that is known to be the user's own.

    Raises UsageError where it cannot be read.
    """
    before, best = _revision(path / "original"), _revision(path / "best")
    if is_several(path):
        return StoredRun(RunListing(path, _result(path)), None, before or UNCHANGED, best)
    saved = RunFolder(path).read()
    whole = path.parent.parent
    name = next((name for name, each in functions_of(whole).items() if each == path), "")
    listing, several = RunListing(path, _result(path), name), read_run(whole) if name else None
    return StoredRun(listing, saved, before or saved.history.original.revision, best, several)


def named_run(name: Path | None, home: Path) -> Path | None:
    """Return the folder of a run to resume: an existing path, or a run below `home` by its name or a part of it.

    Raises UsageError if several runs have the part, or the run is not the user's own.
    """
    if name is None or name.exists() or len(name.parts) != 1:
        return name
    runs = runs_in(home)
    known = [listing.path.name for listing in runs.own] + [path.name for path in runs.left_out]
    return find_run(str(name), home) if str(name) == NEWEST or any(str(name) in each for each in known) else name


def find_run(name: str, home: Path) -> Path:
    """Return the folder of a run. If no folder has the name, it is searched among the targets, the newest run first.

    Raises UsageError if there is no such run, or several, or it is not the user's own.
    """
    if (Path(name) / STATE).is_file():
        require_own(Path(name), f"the run in {name}")
        return Path(name)
    runs = runs_in(home)
    known = [listing.path for listing in runs.own]
    if not known and not runs.left_out:
        raise UsageError(
            f"there are no runs in {home / RUNS}",
            hint="codeopt improve TARGET makes one, --run-dir DIR names another folder",
        )
    found = known[:1] if name == NEWEST else [path for path in known if name in path.name]
    if len(found) == 1:
        return found[0]
    each_one = [one for run in runs.own for one in (run, *functions_in(run.path))] if not found else []
    named = [one for one in each_one if one.target == name or one.target.endswith(f"::{name}")]
    if targets := {one.target: one.path for one in reversed(named)}:  # the newest of each
        if len(targets) > 1:
            raise UsageError(f"{name!r} is the name of {len(targets)} targets", hint=f"name one: {', '.join(targets)}")
        (path,) = targets.values()
        require_own(path, f"the run in {path}")
        return path
    if not found:
        for path, why in runs.left_out.items():
            if name == NEWEST or name in path.name:
                raise refusal(f"the run in {path}", why)
        raise UsageError(f"there is no run {name!r} in {home / 'runs'}", hint="codeopt runs lists them")
    raise UsageError(f"{name!r} is a part of {len(found)} runs' names, such as {found[0].name} and {found[1].name}")


def changes_to_apply(run: StoredRun) -> tuple[FileChange, ...]:
    """The files as they are, each with the run's change in it; none if all of them have it already. A file may hold
    other changes of the same run of several functions.

    Raises UsageError where nothing was accepted, a file has changed otherwise, or it may not be written to.
    """
    whole = changes_of_run(run.whole) if run.whole and run.whole.best and run.whole.listing.ended else ()
    together = {each.program.path.resolve(): each.text for each in whole}
    found = []
    for each in changes_of_run(run):
        require_inside(each.program.path, run.listing.path)
        now = read_program(each.program.path)
        original, all_changes = each.program.text, together.get(each.program.path.resolve(), each.text)
        # Other changes of the file are allowed as far as they are parts of what was verified together.
        allowed = all_changes if holds(original, all_changes, each.text) else each.text
        text = added(original, now.text, each.text) if holds(original, allowed, now.text) else None
        if text is None:
            raise UsageError(
                f"{each.program.path} has changed since the run",
                hint=f"codeopt show {run.listing.path} --diff | patch -p1",
            )
        if text != now.text:
            found.append(FileChange(each.path, now, text))
    return tuple(found)


def changes_of_run(run: StoredRun) -> tuple[FileChange, ...]:
    """The files that a run changes, as they were when it began; of a project those below its folder.

    Raises UsageError where nothing was accepted, or a file may not be written to.
    """
    require_ended(run)
    best, place = run.best, run.file
    if best is None:
        reason = run.result.get("reason", "no reason is known")
        raise UsageError(f"the run in {run.listing.path} found no faster version: {reason}")
    require_inside(place, run.listing.path)
    if best.is_one_file:
        (path,) = best
        file = Program(place, as_source(run.original[path]), run.original[path], _place_of(run, place))
        return (FileChange(path, file, best[path]),)
    changed = best.changed_files(run.original)
    found = []
    for path in changed:
        at, text = place / path, run.original[path]
        named = path if run.state else _place_of(run, at)  # a project's patch is applied in its folder
        found.append(FileChange(path, Program(at, as_source(text), text, named), best[path]))
    return tuple(found)


def _place_of(run: StoredRun, file: Path) -> str:
    """Name of a run's file where the current folder is another than the run's: from the top of the run's project. Empty
    where the current folder tells it."""
    top = top_of(run.listing.path)
    here, place = Path.cwd().resolve(), file.resolve()
    return "" if place.is_relative_to(here) or not place.is_relative_to(top) else place.relative_to(top).as_posix()


def require_inside(path: Path, run: Path) -> None:
    """Raise UsageError for a path outside the repositories or folders around the current folder and the saved run.

    Links are followed first. Files of version control are rejected also.
    """
    try:
        file = path.resolve()
    except (OSError, RuntimeError, ValueError) as error:  # too long, links in a circle, a null character
        raise UsageError(f"the run in {run} is of a file that cannot be: {error}") from error
    roots = [top_of(Path()), top_of(run)]
    root = next((each for each in roots if file.is_relative_to(each)), None)
    if root is None:
        raise UsageError(
            f"the run in {run} is of {path}, which is outside of {roots[0]}",
            hint="name the run's folder from a folder above the file",
        )
    if {part.lower() for part in file.parts} & VERSION_CONTROL:
        raise UsageError(f"the run in {run} is of {path}, which belongs to version control")


def apply_command(path: Path, run: Path) -> str:
    """Return the command that applies a run to the file or folder at `path`, from the current folder.

    For a target outside it begins with the change to a folder above target and run, as `require_inside` asks for.
    """
    try:
        require_inside(path, run)
    except UsageError:
        above = os.path.commonpath([path.resolve(), run.resolve()])
        name = shlex.quote(os.path.relpath(run.resolve(), above))
        return f"cd {shlex.quote(above)} && {APPLY} {name}"
    return command_on(APPLY, run)


def command_on(words: str, run: Path) -> str:
    """Return a command about a run, which is named unless the command finds it by itself from the current folder."""
    return words if _home_of(run) == STORE else f"{words} {shlex.quote(os.path.relpath(run))}"


def undo_command(run: Path) -> str:
    """Return the command that undoes what was written of a run, from the current folder."""
    home = _home_of(run)
    return UNDO if home == STORE else f"{UNDO} --run-dir {shlex.quote(home)}"


def _home_of(run: Path) -> str:
    """Return the folder of the runs that a run belongs to, as seen from the current folder."""
    home = next((parent.parent for parent in run.absolute().parents if parent.name in PLACES), Path(STORE))
    return os.path.relpath(home)


def require_ended(run: StoredRun) -> None:
    """Raise UsageError for a run without a result."""
    if not run.listing.ended:
        raise UsageError(
            f"the run in {run.listing.path} has not ended",
            hint=f"codeopt improve --resume {run.listing.path} continues it",
        )


def _result(path: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(read_text(path / "result.json"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict) or found.get("schema") not in RESULTS:
        return {}
    # each field that is read by itself has the right type, if it is present
    speedup = found.get("speedup")
    kinds: dict[str, Any] = {
        **dict.fromkeys(("target", "file", "folder", "reason", "stop_reason"), str),
        **dict.fromkeys(("notes", "caveats", "diagnostics"), list),
        **dict.fromkeys(("sha256_after", "command"), str | None),
        **{"accepted": bool, "seconds": int | float, "speedup": dict | None},
    }
    if not all(isinstance(found[name], kind) for name, kind in kinds.items() if name in found):
        return {}
    return {"best_round": None, **found} if not speedup or isinstance(speedup.get("ratio"), int | float) else {}


def _revision(place: Path) -> Revision | None:
    files = {path.relative_to(place).as_posix(): _text(path) for path in sorted(place.rglob("*")) if path.is_file()}
    if files:
        return Revision({path: text for path, text in files.items() if text is not None})
    text = _text(place.with_suffix(".py"))
    return Revision.of(text) if text is not None else None


def _text(path: Path) -> str | None:
    try:
        return read_bytes(path).decode()
    except (OSError, ValueError):
        return None
