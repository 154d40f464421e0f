"""Events that a worker sends to the batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from codeopt.batch.records import ProblemResult

MIN_PROGRESS_INTERVAL_S = 0.2
"""Shortest time between two events of progress, seconds."""


@dataclass(frozen=True)
class WorkerEvent:
    """An event of a worker."""

    kind: Literal["ready", "progress", "ended", "broken", "note"]
    problem: str = ""
    text: str = ""
    """`ready`: the sandbox; `progress`: the current step; `ended`: the reason; `broken`: the error that stops all;
    `note`: a line about the cluster."""
    result: str = ""
    """`ended`: the status, but `accepted` or `not improved` for done, and `failed: FAULT` for failed."""
    ratio: float | None = None
    """`ended`: the confirmed speedup."""
    exit_status: int = 0
    """`broken`: the error's exit status."""


def ended(problem: str, ending: ProblemResult) -> WorkerEvent:
    """Make the event of a problem's end."""
    result: str = ending.status
    if ending.status == "done":
        result = "accepted" if ending.best else "not improved"
    elif ending.status == "failed":
        result = f"failed: {ending.fault}"
    ratio = ending.best.comparison.ratio if ending.best and ending.best.comparison else None
    return WorkerEvent("ended", problem, ending.reason, result, ratio)


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
