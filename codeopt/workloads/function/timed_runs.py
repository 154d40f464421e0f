"""Runs of calls that keep their timings: all runs of a judge say more than a few."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Unpack

from sandbox.call_answer import CallTiming
from sandbox.calls import CallRun, CallRunner
from sandbox.runner import RunOptions


@dataclass(frozen=True)
class TimedRuns(CallRunner):
    """Runs calls, and keeps what each run of timed ones took beside them."""

    timings: dict[str, list[CallTiming]] = field(default_factory=dict)
    """By program."""

    def run(self, program: str | bytes, stdin: bytes = b"", **options: Unpack[RunOptions]) -> CallRun:
        """As a CallRunner."""
        run = super().run(program, stdin, **options)
        if run.call_timing and isinstance(program, str):
            self.timings.setdefault(program, []).append(run.call_timing)
        return run
