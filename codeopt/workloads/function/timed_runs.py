"""Runs of calls that keep their timings, and what they left of their processes: all runs of a judge say more than a
few."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Unpack

from sandbox.call_answer import CallTiming, ProcessChanges
from sandbox.calls import CallRun, CallRunner
from sandbox.runner import RunOptions


@dataclass(frozen=True)
class TimedRun:
    """What a run of timed calls took beside them."""

    program: str
    calls: bytes
    """A digest: which ones were timed."""
    timing: CallTiming


@dataclass(frozen=True)
class TimedRuns(CallRunner):
    """Runs calls, and keeps what each run of timed ones took beside them."""

    kept: list[TimedRun] = field(default_factory=list)
    """Oldest first."""
    left: dict[str, list[ProcessChanges]] = field(default_factory=dict)
    """By program: what its checked runs left, each once."""

    def run(self, program: str | bytes, stdin: bytes = b"", **options: Unpack[RunOptions]) -> CallRun:
        """As a CallRunner."""
        run = super().run(program, stdin, **options)
        if run.call_timing and isinstance(program, str):
            self.kept.append(TimedRun(program, _calls(stdin), run.call_timing))
        left = run.answer.left if run.answer else None
        if left is not None and isinstance(program, str) and left not in self.left.setdefault(program, []):
            self.left[program].append(left)
        return run

    def timings(self, program: str, stdin: bytes | None = None) -> list[CallTiming]:
        """Of all its runs, or of those that made the calls of this batch, whatever else it asks for; oldest first."""
        calls = None if stdin is None else _calls(stdin)
        return [each.timing for each in self.kept if each.program == program and calls in (None, each.calls)]


def _calls(stdin: bytes) -> bytes:
    """The first line of a batch says how its calls are made."""
    return blake2b(stdin.partition(b"\n")[2], digest_size=16).digest()
