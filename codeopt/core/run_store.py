"""A run on disk: one folder, rewritten whole after each round, so that a killed run can be resumed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any, Protocol

from codeopt.core.budget import Ledger
from codeopt.core.errors import UsageError
from codeopt.core.history import Candidate, History
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import require_own, require_own_way
from codeopt.core.program import write_whole

_KEPT = 4000  # bytes of a run's output that are kept
SCHEMA = "codeopt.run/1"
SAVED_AS = {"stop_detail": "evidence", "runqueue_wait_s": "delay_s", "ablation": "beside"}
"""Field names of candidates and runs on disk, where they differ: files of earlier versions can still be read."""


@dataclass(frozen=True)
class SavedRun:
    """The state of a run from which it can be resumed."""

    history: History
    ledger: Ledger
    held_out: Mapping[str, bool] = field(default_factory=dict)
    """Whether a case is held out, by its name; a case that was never shown stays held out."""
    subject: str = ""
    """The text that identifies the run; empty: the original's own."""
    input_seed: int | None = None
    """Seed of the generated inputs; None in files of earlier versions."""


class RunStore(Protocol):
    """The place of one run."""

    @property
    def path(self) -> Path:
        """The run's folder."""
        ...

    def save(self, run: SavedRun) -> None:
        """Save the state, in one step. Raises UsageError where it cannot be written."""
        ...

    def finish(self, original: str, result: dict[str, Any], best: str | None) -> None:
        """Save the result at the end of the run. Raises UsageError where it cannot be written."""
        ...


class Runs(Protocol):
    """The place of all runs."""

    def load(self, source: str) -> SavedRun | None:
        """The run to go on with; None for a new one.

        Raises UsageError where it cannot be read, is of another program, or is not the user's own.
        """
        ...

    def begin(self, name: str) -> RunStore:
        """The place for a run: that of the loaded one, or a new one."""
        ...


@dataclass(frozen=True)
class RunFolders:
    """Runs below a folder of the user's own."""

    home: Path
    resume: Path | None = None
    """Folder of the run to go on with; None for a new one."""

    def load(self, source: str) -> SavedRun | None:
        """The run to go on with; None for a new one, and where it was ended before anything was saved.

        Raises UsageError where it cannot be read, is of another program, or is not the user's own.
        """
        if self.resume is None:
            return None
        require_own(self.resume, f"the run in {self.resume}")
        return RunFolder(self.resume).load(source) if not _is_empty(self.resume) else None

    def begin(self, name: str) -> RunFolder:
        """The folder of the resumed run, or a new one."""
        return RunFolder(self.resume) if self.resume else new_run(self.home, name)


def open_runs(options: ImproveOptions) -> Runs:
    """The runs in the folder that the options name."""
    return RunFolders(options.run_dir, options.resume)


@dataclass(frozen=True)
class RunFolder:
    """One run's files: state.json (the history and the ledger), original.py, and at the end result.json and best.py."""

    path: Path

    def save(self, run: SavedRun) -> None:
        """Write the state in one step. Raises UsageError where it cannot be written."""
        adapter = _adapter()
        state = {
            "schema": SCHEMA,
            "sha256": digest(run.subject or run.history.original.source),
            "ledger": run.ledger.to_json(),
            "held_out": dict(run.held_out),
            "input_seed": run.input_seed,
            "candidates": json.loads(adapter.dump_json(tuple(map(_cut, run.history.candidates)), by_alias=True)),
        }
        write_whole(self.path / "state.json", json.dumps(state))

    def load(self, source: str) -> SavedRun:
        """The saved state.

        Raises UsageError when there is none, or it is broken or of another program.
        """
        return self._read(digest(source))

    def read(self) -> SavedRun:
        """The saved state, of whichever program, for looking at.

        Raises UsageError when there is none, or it is broken.
        """
        return self._read(None)

    def _read(self, sha256: str | None) -> SavedRun:
        import pydantic

        try:
            state: Any = json.loads((self.path / "state.json").read_text("utf-8"))
            if sha256 is not None and state["sha256"] != sha256:
                raise UsageError(
                    f"the run in {self.path} is of another program, or the program has changed; start anew"
                )
            candidates = _adapter().validate_json(json.dumps(state["candidates"]))
            held_out = {str(name): bool(held) for name, held in state.get("held_out", {}).items()}
            seed = state.get("input_seed")
            ledger = Ledger.from_json(state["ledger"])
            return SavedRun(History(candidates), ledger, held_out, input_seed=None if seed is None else int(seed))
        except OSError as error:
            raise UsageError(f"there is no run to resume in {self.path}: {error.strerror}") from error
        except (KeyError, TypeError, ValueError, pydantic.ValidationError) as error:
            raise UsageError(f"the run in {self.path} cannot be read; start anew") from error

    def finish(self, original: str, result: dict[str, Any], best: str | None) -> None:
        """Write the result beside the state. Raises UsageError where it cannot be written."""
        write_whole(self.path / "original.py", original)
        write_whole(self.path / "result.json", json.dumps(result, indent=2) + "\n")
        if best is not None:
            write_whole(self.path / "best.py", best)


def _is_empty(folder: Path) -> bool:
    """Whether a folder holds at most the temporary file of a write that was killed."""
    return folder.is_dir() and all(path.name.startswith(".") for path in folder.iterdir())


def new_run(home: Path, stem: str) -> RunFolder:
    """Make a fresh folder below `home`; below the system's temporary folder where `home` cannot be written to, or is a
    link that came with the repository."""
    stem = re.sub(r"[^\w.-]+", "_", stem)[:60]  # a file's name may hold anything, and be as long as a name can be
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{stem}-{token_hex(2)}"
    path = home / "runs" / name
    try:
        require_own_way(path, "")
        path.mkdir(parents=True)
        keep_out_of_git(home)
    except (OSError, UsageError):
        path = Path(tempfile.mkdtemp(prefix=f"codeopt-{stem}-"))
    return RunFolder(path)


def keep_out_of_git(home: Path) -> None:
    """Write a .gitignore that covers all of `home`, unless a file or link of that name exists, even a dead one.

    Raises OSError.
    """
    with contextlib.suppress(FileExistsError), (home / ".gitignore").open("x") as file:
        file.write("*\n")


def candidate_to_json(candidate: Candidate) -> str:
    """A candidate with all its measurements, as JSON; long output is cut."""
    text: bytes = _adapter().dump_json((_cut(candidate),), by_alias=True)
    return text.decode("utf-8")


def candidate_from_json(text: str) -> Candidate:
    """The candidate that `candidate_to_json` wrote.

    Raises ValueError when the text is none.
    """
    (candidate,) = _adapter().validate_json(text)
    found: Candidate = candidate
    return found


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
def _adapter() -> Any:
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(
        ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants",
        alias_generator=lambda name: SAVED_AS.get(name, name),
    )  # fmt: skip
    return TypeAdapter(tuple[Candidate, ...], config=config)
