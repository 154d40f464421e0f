"""Runs on disk: a folder for each, rewritten whole after each round; and a run of several functions."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal, Protocol

from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, History
from codeopt.core.model import Ledger
from codeopt.core.ownership import require_own, require_own_way
from codeopt.core.program import FileChange, write_whole
from codeopt.core.revision import OWN, Revision
from codeopt_sandbox.plain_files import read_text

_KEPT = 4000  # bytes of a run's output that are kept
SCHEMA = "codeopt.run/1"
RUNS = "runs"
"""Name of the folder of all runs."""
STATE = "state.json"
"""File of a run's state, by which the folder of a run is known."""
COMMAND = "command.json"
"""File of the command line that began a run."""


@dataclass(frozen=True)
class SavedRun:
    """The state of a run from which it can be resumed."""

    history: History
    ledger: Ledger
    held_out: Mapping[str, bool] = field(default_factory=dict)
    """Name of a case -> True if it is held out. A case that was never shown stays held out."""
    subject: Revision | None = None
    """The revision that identifies the run. None: the original's own."""
    input_seed: int | None = None
    """Seed of the generated inputs. None: the run drew none."""


class RunStore(Protocol):
    """The place of one run."""

    @property
    def path(self) -> Path:
        """The run's folder."""

    def save(self, run: SavedRun) -> None:
        """Save the state, in one step. Raises UsageError where it cannot be written."""

    def finish(self, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Save the result at the end of the run, with the files as they are written, to the character. Raises
        UsageError where it cannot be written."""


class Runs(Protocol):
    """The place of all runs."""

    def load(self, subject: Revision) -> SavedRun | None:
        """Return the run to resume, None for a new one.

        Raises UsageError if it cannot be read, is of another program, or is not the user's own.
        """

    def begin(self, name: str) -> RunStore:
        """The place for a run: that of the loaded one, or a new one."""


@dataclass(frozen=True)
class RunFolders:
    """Runs below a folder of the user's own."""

    home: Path
    resume: Path | None = None
    """Folder of the run to resume. None for a new one."""
    command: tuple[str, ...] = ()
    """Arguments of the command that begins a run. Empty: another program begins it."""

    def load(self, subject: Revision) -> SavedRun | None:
        """Return the run to resume. None for a new one, and for one that ended before anything was saved.

        Raises UsageError if it cannot be read, is of another program, or is not the user's own.
        """
        if self.resume is None:
            return None
        require_own(self.resume, f"the run in {self.resume}")
        return RunFolder(self.resume).read(subject) if not is_empty(self.resume) else None

    def begin(self, name: str) -> RunFolder:
        """The folder of the resumed run, or a new one."""
        run = RunFolder(self.resume) if self.resume else new_run(self.home, name)
        note_command(run.path, self.command)
        return run


@dataclass(frozen=True)
class _State:
    """Content of state.json."""

    schema: str
    sha256: str
    """Digest of the revision that identifies the run."""
    ledger: Ledger
    held_out: Mapping[str, bool]
    input_seed: int | None
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class RunFolder:
    """Files of one run: state.json (history and ledger), and at the end result.json, original.py and best.py.

    A project has folders `original` and `best` instead, with the files that changed.
    """

    path: Path

    def save(self, run: SavedRun) -> None:
        """Write the state in one step. Raises UsageError where it cannot be written."""
        sha256 = (run.subject or run.history.original.revision).digest
        candidates = tuple(map(_cut, run.history.candidates))
        state = _State(SCHEMA, sha256, run.ledger.paused(), dict(run.held_out), run.input_seed, candidates)
        write_whole(self.path / STATE, _adapter(_State).dump_json((state,))[1:-1].decode())

    def read(self, subject: Revision | None = None) -> SavedRun:
        """Return the saved state. subject: the program that it has to be of; None: any, for display.

        Raises UsageError if there is no such file, or it is broken or of another program.
        """
        try:
            (state,) = _adapter(_State).validate_json(f"[{read_text(self.path / STATE)}]")
        except OSError as error:
            raise UsageError(f"there is no run to resume in {self.path}: {error.strerror}") from error
        except ValueError as error:
            raise UsageError(f"the run in {self.path} cannot be read", hint="start a new run") from error
        if subject is not None and state.sha256 != subject.digest:
            raise UsageError(
                f"the run in {self.path} is of another program, or the program has changed", hint="start a new run"
            )
        ledger = state.ledger.resumed()
        return SavedRun(History(state.candidates), ledger, state.held_out, input_seed=state.input_seed)

    def finish(self, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Write the result next to the state. Raises UsageError if it cannot be written."""
        _write(self.path / "original", original)
        if best is not None:
            _write(self.path / "best", best)
        write_whole(self.path / "result.json", json.dumps(result, indent=2) + "\n")  # last: it says that all is there


def _write(place: Path, revision: Revision) -> None:
    """Write a target that is one file as `place`.py, a project's files below `place`."""
    for path, text in revision.items():
        file = place / path if path else place.with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text)


def is_empty(folder: Path) -> bool:
    """Return whether a folder holds at most the command, and the temporary file of a write that was killed."""
    return folder.is_dir() and all(path.name == COMMAND or path.name.startswith(".") for path in folder.iterdir())


def new_run(home: Path, stem: str) -> RunFolder:
    """Create a new run's folder below `home`.

    It is below the system's temporary folder if `home` cannot be written, or is a link that came with the repository.
    """
    stem = re.sub(r"[^\w.-]+", "_", stem)[:60]  # a file's name may hold anything, and be as long as a name can be
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{stem}-{token_hex(2)}"
    path = home / RUNS / name
    try:
        require_own_way(path, "")
        path.mkdir(parents=True)
        keep_out_of_git(home)
    except (OSError, UsageError):
        path = Path(tempfile.mkdtemp(prefix="codeopt-")) / RUNS / name
        path.mkdir(parents=True)
    return RunFolder(path)


def note_command(run: Path, arguments: Sequence[str]) -> None:
    """Save the command that begins a run, with which it can be resumed. A resumed run has it already."""
    if arguments and not (run / COMMAND).exists():
        write_whole(run / COMMAND, json.dumps({"folder": str(Path.cwd()), "arguments": [*arguments]}))


def command_of(path: Path) -> list[str]:
    """The arguments of the command that began a run.

    Raises UsageError if they are not known, or belong to another folder than the current one.
    """
    require_own(path, f"the run in {path}")
    known = saved_command(path)
    if known is None:
        raise UsageError(f"the command of the run in {path} is not known", hint="name its TARGET also")
    folder, arguments = known
    if folder != Path.cwd():
        raise UsageError(f"the run in {path} was begun in {folder}", hint="resume it there")
    return arguments


def saved_command(path: Path) -> tuple[Path, list[str]] | None:
    """The folder and the arguments of the command that began a run. None if they are not known."""
    try:
        found = json.loads(read_text(path / COMMAND))
        return Path(found["folder"]), [str(each) for each in found["arguments"]]
    except (OSError, ValueError, KeyError, TypeError):
        return None


def keep_out_of_git(home: Path) -> None:
    """Write a .gitignore that covers all of `home`, unless a file or link of that name exists, even a dead one.

    Raises OSError.
    """
    with contextlib.suppress(FileExistsError), (home / ".gitignore").open("x") as file:
        file.write("*\n")


def candidates_to_json(candidates: Iterable[Candidate]) -> str:
    """Format candidates with all their measurements as JSON. Long output is cut."""
    text: bytes = _adapter(Candidate).dump_json(tuple(map(_cut, candidates)))
    return text.decode()


def candidates_from_json(text: str) -> tuple[Candidate, ...]:
    """Return the candidates that `candidates_to_json` wrote. Raises ValueError for any other text."""
    candidates: tuple[Candidate, ...] = _adapter(Candidate).validate_json(text)
    return candidates


def digest(source: str) -> str:
    """SHA-256 of a source text, in hexadecimal."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def _cut(candidate: Candidate) -> Candidate:
    outcomes = tuple(
        replace(o, run=replace(o.run, stdout=o.run.stdout[:_KEPT], stderr=o.run.stderr[-_KEPT:]))
        for o in candidate.outcomes
    )
    return replace(candidate, outcomes=outcomes)


@cache
def _adapter(kind: type) -> Any:
    """The converter of a sequence of dataclasses: one of a dataclass itself would take no settings."""
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants")
    return TypeAdapter(tuple[kind, ...], config=config)  # type: ignore[valid-type]


# A run of several functions: one folder with one result, which holds the functions' own runs.


FUNCTIONS = "functions"
"""Folder of the functions' runs, below that of the whole."""


@dataclass(frozen=True)
class FunctionRun:
    """Place of one function's run. A `Runs` that continues the saved state there."""

    path: Path
    on_begin: Callable[[], None] = lambda: None

    def load(self, subject: Revision) -> SavedRun | None:
        """Return the saved state. None if nothing is saved. Raises UsageError if it cannot be read."""
        return RunFolder(self.path).read(subject) if (self.path / STATE).is_file() else None

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


@dataclass(frozen=True)
class _SeveralState:
    """Content of state.json of such a run."""

    schema: Literal["codeopt.run-several/1"]
    target: str
    functions: Mapping[str, str]
    done: tuple[str, ...]


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
        files = {}
        for change in changes:
            inside = os.path.relpath(change.program.path.resolve(), self.target)
            files[OWN if self.target.is_file() else Path(inside).as_posix()] = change
        for name in ("original", "best"):  # of an earlier session
            shutil.rmtree(self.path / name, ignore_errors=True)
        before = Revision({name: each.program.text for name, each in files.items()})
        after = Revision({name: each.text for name, each in files.items()})
        RunFolder(self.path).finish(before, result, after if files else None)

    def _begin(self, name: str, folder: str) -> None:
        self.functions[name] = folder
        self._save()

    def _save(self) -> None:
        state = _SeveralState("codeopt.run-several/1", str(self.target), self.functions, tuple(sorted(self.done)))
        write_whole(self.path / STATE, json.dumps(vars(state)))


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
    if state.target != str(target.resolve()):
        raise UsageError(f"the run in {path} is of {state.target}, not of {target}")
    return SeveralRun(path, target.resolve(), dict(state.functions), set(state.done))


def is_several(path: Path) -> bool:
    """Return whether a folder holds a run of several functions."""
    return bool(_state(path))


def functions_of(path: Path) -> dict[str, Path]:
    """Folder of each function's run by the function's name. Empty for any other run."""
    state = _state(path) if (path / FUNCTIONS).is_dir() else None
    return {name: path / FUNCTIONS / Path(folder).name for name, folder in state.functions.items()} if state else {}


def _state(path: Path) -> _SeveralState | None:
    """Return the state of a run of several functions. None if it is missing or broken."""
    try:
        (state,) = _adapter(_SeveralState).validate_json(f"[{read_text(path / STATE)}]")
    except (OSError, ValueError):
        return None
    found: _SeveralState = state
    return found
