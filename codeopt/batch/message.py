"""What a worker tells the batch."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from codeopt.batch.facts import Ending

TELL_S = 0.2
"""Progress is told at most so often."""


@dataclass(frozen=True)
class Message:
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


def ended(problem: str, ending: Ending) -> Message:
    """How a problem ended, for people."""
    result: str = ending.status
    if ending.status == "done":
        result = "accepted" if ending.best else "not improved"
    elif ending.status == "failed":
        result = f"failed: {ending.fault}"
    ratio = ending.best.comparison.ratio if ending.best and ending.best.comparison else None
    return Message("ended", problem, ending.reason, result, ratio)


@dataclass
class Teller:
    """Tells the batch what is being done now, but not too often."""

    send: Callable[[Message], None]
    problem: str
    _last: float = field(default=0.0, repr=False)

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        if now - self._last >= TELL_S:
            self._last = now
            self.send(Message("progress", self.problem, line))
