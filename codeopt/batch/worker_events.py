"""Events that a worker sends to the batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from codeopt.batch.records import ProblemResult
from codeopt.core.words import Speedup, directions

MIN_PROGRESS_INTERVAL_S = 0.2
"""Shortest time between two events of progress, seconds."""


@dataclass(frozen=True)
class WorkerEvent:
    """A step or the end of a problem, or an error that stops all, as a worker sends it."""

    kind: Literal["ready", "progress", "ended", "broken", "note"]
    problem: str = ""
    text: str = ""
    """`ready`: the sandbox; `progress`: the current step; `ended`: the times or the reason; `broken`: the error that
    stops all; `note`: a line about the cluster."""
    result: str = ""
    """`ended`: `faster` or another word for the task's gain, `no faster version`, `skipped`, `failed: FAULT`."""
    gain: str = ""
    """`ended`: the confirmed speedup, `44x faster`."""
    ratio: float | None = None
    exit_status: int = 0
    """`broken`: the error's exit status."""


def ended(problem: str, ending: ProblemResult) -> WorkerEvent:
    if ending.best is None:
        shown = {"done": "no faster version", "failed": f"failed: {ending.fault}"}
        return WorkerEvent("ended", problem, ending.reason, shown.get(ending.status, ending.status))
    if ending.best.comparison is None:
        return WorkerEvent("ended", problem, ending.reason, "improved")
    speedup = Speedup.of(ending.best.comparison)
    return WorkerEvent("ended", problem, speedup.times, directions(speedup.metric)[0], speedup.gain, speedup.ratio)


@dataclass
class ThrottledProgress:
    """Sender of progress events that drops those which follow too soon."""

    send: Callable[[WorkerEvent], None]
    problem: str
    _last: float = field(default=0.0, repr=False)

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= MIN_PROGRESS_INTERVAL_S:
            self._last = now
            self.send(WorkerEvent("progress", self.problem, line))
