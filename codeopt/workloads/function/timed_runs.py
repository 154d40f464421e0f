"""Runs of calls that keep their timings, and what they left of their processes: all runs of a judge say more than a
few."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TypeVar, Unpack

from codeopt_sandbox.call_answer import CallTiming, ProcessChanges
from codeopt_sandbox.calls import CallRun, CallRunner
from codeopt_sandbox.runner import RunOptions

T = TypeVar("T")


@dataclass(frozen=True)
class TimedRun:
    """Time that a run of timed calls took beside them."""

    program: str
    calls: bytes
    """A digest: which ones were timed."""
    batch: bytes
    """A digest: which ones, and how."""
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
            self.kept.append(TimedRun(program, _calls(stdin), _digest(stdin), run.call_timing))
        left = run.answer.left if run.answer else None
        if left is not None and isinstance(program, str) and left not in self.left.setdefault(program, []):
            self.left[program].append(left)
        return run

    def timings(self, program: str, stdin: bytes | None = None) -> list[CallTiming]:
        """Timings of all its runs, or of those that made the calls of this batch, whatever else it asks for; oldest
        first."""
        calls = None if stdin is None else _calls(stdin)
        return [each.timing for each in self.kept if each.program == program and calls in (None, each.calls)]

    def of_batch(self, program: str, stdin: bytes) -> list[CallTiming]:
        """Timings of its runs that made just this batch; oldest first."""
        batch = _digest(stdin)
        return [each.timing for each in self.kept if each.program == program and each.batch == batch]


def side_by_side(old: Sequence[T], new: Sequence[T]) -> list[tuple[T, T]]:
    """The latest of each, oldest first: of what is run more often the first runs stood alone."""
    last = min(len(old), len(new))
    return list(zip(old[-last:], new[-last:], strict=True)) if last else []


def _calls(stdin: bytes) -> bytes:
    """The first line of a batch says how its calls are made."""
    return _digest(stdin.partition(b"\n")[2])


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).digest()
