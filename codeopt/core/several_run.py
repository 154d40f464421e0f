"""A run of several functions: one folder with one result, which holds the functions' own runs."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeopt.core.budget import Ledger
from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own
from codeopt.core.program import FileChange, write_whole
from codeopt.core.revision import OWN, Revision
from codeopt.core.run_store import STATE, RunFolder, SavedRun, digest, is_empty, new_run, note_command
from codeopt_sandbox.plain_files import read_text

SCHEMA = "codeopt.run-several/1"
FUNCTIONS = "functions"
"""Folder of the functions' runs, below that of the whole."""


@dataclass(frozen=True)
class FunctionRun:
    """Place of one function's run. A `Runs` that continues the saved state there."""

    path: Path
    on_begin: Callable[[], None] = lambda: None

    def load(self, subject: Revision) -> SavedRun | None:
        """Return the saved state. None if nothing is saved. Raises UsageError if it cannot be read."""
        return RunFolder(self.path).load(subject) if (self.path / STATE).is_file() else None

    def begin(self, name: str) -> RunFolder:
        """The folder, which is made if it is not there."""
        self.path.mkdir(parents=True, exist_ok=True)
        self.on_begin()
        return RunFolder(self.path)

    @property
    def ledger(self) -> Ledger:
        """Cost of earlier sessions. Empty if nothing is saved."""
        try:
            return RunFolder(self.path).read().ledger
        except UsageError:
            return Ledger()


@dataclass
class SeveralRun:
    """The run of a file or folder. Its state is written at each change, so that a killed run can be resumed."""

    path: Path
    target: Path
    """The file or folder, absolute."""
    functions: dict[str, str] = field(default_factory=dict)
    """Folder of each function that was begun, by the function's name."""
    done: set[str] = field(default_factory=set)
    """Folders of the functions that need no further try."""

    def function(self, name: str, text: str) -> FunctionRun:
        """Return the place of a function of a file with a text. Another text has another place."""
        stem = re.sub(r"[^\w.-]+", "_", name)[-60:]
        folder = f"{stem}-{digest(f'{name} {text}')[:8]}"
        return FunctionRun(self.path / FUNCTIONS / folder, lambda: self._begin(name, folder))

    def end(self, run: FunctionRun) -> None:
        """Note that a function needs no further try."""
        self.done.add(run.path.name)
        self._save()

    def is_done(self, run: FunctionRun) -> bool:
        """Return whether a function needs no further try."""
        return run.path.name in self.done

    @property
    def ledger(self) -> Ledger:
        """Cost of all functions in earlier sessions."""
        found = Ledger()
        for name in self.functions.values():
            ledger = FunctionRun(self.path / FUNCTIONS / name).ledger
            found = Ledger(usage=found.usage + ledger.usage, earlier_s=found.earlier_s + ledger.earlier_s)
        return found

    def finish(self, changes: Iterable[FileChange], result: dict[str, Any]) -> None:
        """Save the result, and the files before and after all changes. Raises UsageError."""
        files = {self._name(change): change for change in changes}
        for name in ("original", "best"):  # of an earlier session
            shutil.rmtree(self.path / name, ignore_errors=True)
        before = Revision({name: each.program.text for name, each in files.items()})
        after = Revision({name: each.text for name, each in files.items()})
        RunFolder(self.path).finish(before, result, after if files else None)

    def _begin(self, name: str, folder: str) -> None:
        self.functions[name] = folder
        self._save()

    def _name(self, change: FileChange) -> str:
        here = self.target.is_file()
        return OWN if here else Path(os.path.relpath(change.program.path.resolve(), self.target)).as_posix()

    def _save(self) -> None:
        state = {"schema": SCHEMA, "target": str(self.target), "functions": self.functions, "done": sorted(self.done)}
        write_whole(self.path / STATE, json.dumps(state))


def new_several(home: Path, target: Path, command: Sequence[str] = (), path: Path | None = None) -> SeveralRun:
    """Make the run of a file or folder below `home`, or in the empty folder `path`. command: see note_command."""
    target = target.resolve()
    run = SeveralRun(path or new_run(home, target.stem or "all").path, target)
    note_command(run.path, command)
    run._save()
    return run


def resumed_several(path: Path | None, target: Path) -> SeveralRun | None:
    """Return the run to resume. None for a new one, also for an empty folder.

    Raises UsageError if it cannot be read, is of another target, or not the user's own.
    """
    if path is None:
        return None
    require_own(path, f"the run in {path}")
    if is_empty(path):
        return None
    state = _state(path)
    if not state:
        raise UsageError(f"there is no run of several functions in {path}", hint="start a new run")
    if state["target"] != str(target.resolve()):
        raise UsageError(f"the run in {path} is of {state['target']}, not of {target}")
    return SeveralRun(path, target.resolve(), dict(state["functions"]), set(state["done"]))


def is_several(path: Path) -> bool:
    """Return whether a folder holds a run of several functions."""
    return bool(_state(path))


def functions_of(path: Path) -> dict[str, Path]:
    """Folder of each function's run by the function's name. Empty for any other run."""
    state = _state(path) if (path / FUNCTIONS).is_dir() else {}
    return {name: path / FUNCTIONS / Path(folder).name for name, folder in state["functions"].items()} if state else {}


def _state(path: Path) -> Mapping[str, Any]:
    """Return the state of a run of several functions. Empty if it is missing or broken."""
    try:
        found = json.loads(read_text(path / STATE))
    except (OSError, ValueError):
        return {}
    kinds = {"target": str, "functions": dict, "done": list}
    known = isinstance(found, dict) and found.get("schema") == SCHEMA
    return found if known and all(isinstance(found.get(name), kind) for name, kind in kinds.items()) else {}
