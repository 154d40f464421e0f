"""What a worker tells the batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from codeopt.batch.records import ProblemResult

TELL_S = 0.2
"""Progress is told at most so often."""


@dataclass(frozen=True)
class WorkerEvent:
    """One word of a worker."""

    kind: Literal["ready", "progress", "ended", "broken"]
    problem: str = ""
    text: str = ""
    """ready: the sandbox; progress: what is done now; ended: the reason; broken: what keeps all from working."""
    result: str = ""
    """ended: the status; of one that is done `accepted` or `not improved`; of one that failed `failed: FAULT`."""
    ratio: float | None = None
    """ended: the confirmed speedup."""
    exit_status: int = 0
    """broken: of the error."""


def ended(problem: str, ending: ProblemResult) -> WorkerEvent:
    """How a problem ended, for people."""
    result: str = ending.status
    if ending.status == "done":
        result = "accepted" if ending.best else "not improved"
    elif ending.status == "failed":
        result = f"failed: {ending.fault}"
    ratio = ending.best.comparison.ratio if ending.best and ending.best.comparison else None
    return WorkerEvent("ended", problem, ending.reason, result, ratio)


@dataclass
class ThrottledProgress:
    """Tells the batch what is being done now, but not too often."""

    send: Callable[[WorkerEvent], None]
    problem: str
    _last: float = field(default=0.0, repr=False)

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= TELL_S:
            self._last = now
            self.send(WorkerEvent("progress", self.problem, line))
