"""A run on disk: one folder, rewritten whole after each round, so that a killed run goes on where it was."""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from codeopt.budget import Ledger
from codeopt.errors import UsageError
from codeopt.history import Candidate, History
from codeopt.program import write_whole

_KEPT = 4000  # bytes of a run's output that are kept
SCHEMA = "codeopt.run/1"
SAVED_AS = {"stop_detail": "evidence", "runqueue_wait_s": "delay_s", "ablation": "beside"}
"""Fields of candidates and runs that have another name on disk: what an earlier version wrote can still be read."""


@dataclass(frozen=True)
class RunFolder:
    """state.json (the history and what was spent), original.py, and at the end result.json and best.py."""

    path: Path

    def save(self, history: History, ledger: Ledger, source: str) -> None:
        """Write the state in one step."""
        adapter = _adapter()
        state = {
            "schema": SCHEMA,
            "sha256": digest(source),
            "ledger": ledger.to_json(),
            "candidates": json.loads(adapter.dump_json(tuple(map(_cut, history.candidates)), by_alias=True)),
        }
        write_whole(self.path / "state.json", json.dumps(state))

    def load(self, source: str) -> tuple[History, Ledger]:
        """The history and what was spent. Raises UsageError when there is none for this very program."""
        import pydantic

        try:
            state: Any = json.loads((self.path / "state.json").read_text("utf-8"))
            if state["sha256"] != digest(source):
                raise UsageError(
                    f"the run in {self.path} is of another program, or the program has changed; start anew"
                )
            candidates = _adapter().validate_json(json.dumps(state["candidates"]))
            return History(candidates), Ledger.from_json(state["ledger"])
        except OSError as error:
            raise UsageError(f"there is no run to resume in {self.path}: {error.strerror}") from error
        except (KeyError, TypeError, ValueError, pydantic.ValidationError) as error:
            raise UsageError(f"the run in {self.path} cannot be read; start anew") from error

    def finish(self, original: str, result: dict[str, Any], best: str | None) -> None:
        """The result beside the state."""
        write_whole(self.path / "original.py", original)
        write_whole(self.path / "result.json", json.dumps(result, indent=2) + "\n")
        if best is not None:
            write_whole(self.path / "best.py", best)


def new_run(home: Path, stem: str) -> RunFolder:
    """A fresh folder below `home`; below the system's temporary folder where `home` cannot be written to."""
    stem = re.sub(r"[^\w.-]+", "_", stem)[:60]  # a file's name may hold anything, and be as long as a name can be
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{stem}-{token_hex(2)}"
    path = home / "runs" / name
    try:
        path.mkdir(parents=True)
        ignore = home / ".gitignore"
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError:
        path = Path(tempfile.mkdtemp(prefix=f"codeopt-{stem}-"))
    return RunFolder(path)


def candidate_to_json(candidate: Candidate) -> str:
    """A candidate with all its measurements, as JSON; long output is cut."""
    text: bytes = _adapter().dump_json((_cut(candidate),), by_alias=True)
    return text.decode("utf-8")


def candidate_from_json(text: str) -> Candidate:
    """The candidate that `candidate_to_json` wrote. Raises ValueError when it is none."""
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


def _adapter() -> Any:
    from pydantic import ConfigDict, TypeAdapter

    config = ConfigDict(
        ser_json_bytes="base64", val_json_bytes="base64", ser_json_inf_nan="constants",
        alias_generator=lambda name: SAVED_AS.get(name, name),
    )  # fmt: skip
    return TypeAdapter(tuple[Candidate, ...], config=config)
