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
from codeopt.core.old_runs import candidate_in, old_digest
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import require_own, require_own_way
from codeopt.core.program import write_whole
from codeopt.core.revision import OWN, Revision

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
    subject: Revision | None = None
    """The revision that identifies the run; None: the original's own."""
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

    def finish(self, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Save the result at the end of the run, with the files as they are written, to the character. Raises
        UsageError where it cannot be written."""
        ...


class Runs(Protocol):
    """The place of all runs."""

    def load(self, subject: Revision) -> SavedRun | None:
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

    def load(self, subject: Revision) -> SavedRun | None:
        """The run to go on with; None for a new one, and where it was ended before anything was saved.

        Raises UsageError where it cannot be read, is of another program, or is not the user's own.
        """
        if self.resume is None:
            return None
        require_own(self.resume, f"the run in {self.resume}")
        return RunFolder(self.resume).load(subject) if not _is_empty(self.resume) else None

    def begin(self, name: str) -> RunFolder:
        """The folder of the resumed run, or a new one."""
        return RunFolder(self.resume) if self.resume else new_run(self.home, name)


def open_runs(options: ImproveOptions) -> Runs:
    """The runs in the folder that the options name."""
    return RunFolders(options.run_dir, options.resume)


@dataclass(frozen=True)
class RunFolder:
    """One run's files: state.json (the history and the ledger), and at the end result.json, original.py and best.py; of
    a project folders `original` and `best` with the files that changed."""

    path: Path

    def save(self, run: SavedRun) -> None:
        """Write the state in one step. Raises UsageError where it cannot be written."""
        adapter = _adapter()
        candidates = json.loads(adapter.dump_json(tuple(map(_cut, run.history.candidates)), by_alias=True))
        state = {
            "schema": SCHEMA,
            "sha256": (run.subject or run.history.original.revision).digest,
            "ledger": run.ledger.to_json(),
            "held_out": dict(run.held_out),
            "input_seed": run.input_seed,
            "candidates": list(map(_saved, candidates)),
        }
        write_whole(self.path / "state.json", json.dumps(state))

    def load(self, subject: Revision) -> SavedRun:
        """The saved state.

        Raises UsageError when there is none, or it is broken or of another program.
        """
        return self._read(subject)

    def read(self) -> SavedRun:
        """The saved state, of whichever program, for looking at.

        Raises UsageError when there is none, or it is broken.
        """
        return self._read(None)

    def _read(self, subject: Revision | None) -> SavedRun:
        import pydantic

        try:
            state: Any = json.loads((self.path / "state.json").read_text("utf-8"))
            if subject is not None and state["sha256"] not in (subject.digest, old_digest(subject)):
                raise UsageError(
                    f"the run in {self.path} is of another program, or the program has changed; start anew"
                )
            candidates = _adapter().validate_json(json.dumps(list(map(_loaded, state["candidates"]))))
            held_out = {str(name): bool(held) for name, held in state.get("held_out", {}).items()}
            seed = state.get("input_seed")
            ledger = Ledger.from_json(state["ledger"])
            return SavedRun(History(candidates), ledger, held_out, input_seed=None if seed is None else int(seed))
        except OSError as error:
            raise UsageError(f"there is no run to resume in {self.path}: {error.strerror}") from error
        except (AttributeError, KeyError, TypeError, ValueError, pydantic.ValidationError) as error:
            raise UsageError(f"the run in {self.path} cannot be read; start anew") from error

    def finish(self, original: Revision, result: dict[str, Any], best: Revision | None) -> None:
        """Write the result beside the state. Raises UsageError where it cannot be written."""
        _write(self.path / "original", original)
        write_whole(self.path / "result.json", json.dumps(result, indent=2) + "\n")
        if best is not None:
            _write(self.path / "best", best)


def _write(place: Path, revision: Revision) -> None:
    """Write a target that is one file as `place`.py, a project's files below `place`."""
    for path, text in revision.items():
        file = place / path if path else place.with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text)


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
    return json.dumps(list(map(_saved, json.loads(text))))


def candidate_from_json(text: str) -> Candidate:
    """The candidate that `candidate_to_json` wrote.

    Raises ValueError when the text is none.
    """
    (candidate,) = _adapter().validate_json(json.dumps(list(map(_loaded, json.loads(text)))))
    found: Candidate = candidate
    return found


def digest(source: str) -> str:
    """SHA-256 of a source text, in hexadecimal."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def _saved(row: dict[str, Any]) -> dict[str, Any]:
    """A candidate with its one file as `source`, as it always was; with several, as `files`."""
    files = row["revision"]
    named = ("source", files[OWN]) if files.keys() == {OWN} else ("files", files)
    return dict(named if name == "revision" else (name, value) for name, value in row.items())


def _loaded(row: dict[str, Any]) -> dict[str, Any]:
    """The inverse of `_saved`. Raises KeyError where there is neither."""
    row = row if "files" in row else candidate_in(row)
    return {**{name: value for name, value in row.items() if name != "files"}, "revision": row["files"]}


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
