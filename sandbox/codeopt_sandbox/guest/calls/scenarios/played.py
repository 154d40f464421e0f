"""Scenarios of a batch, played one after another, with their outcomes."""

from __future__ import annotations

import time

from ...answer import TIMEOUT, Answer
from ..channel import OUTCOME, TOOK, frame
from ..child import SIGALRM, in_child
from ..json_text import to_json
from ..outcome import died, not_made, timeout
from . import SCENARIO
from .play import Performance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import CodeType
    from typing import Any

    from ..batch import CallBatch
    from ..channel import Channel
    from ..worker import CallWorker

monotonic = time.monotonic
LOST = 2
"""Number of hanging scenarios after which playing ends."""


def play_all(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Play each scenario in a process of its own, and send its outcome."""
    names = worker.arguments.names
    names[SCENARIO] = lambda steps, *calls: (steps, calls)
    names.prepare(batch.calls)
    lost = 0
    for code in codes:
        if lost >= LOST:
            channel.write(frame(TOOK, b"0.0") + frame(OUTCOME, to_json(not_made().told()).encode()))
            continue
        started = monotonic()
        performance = Performance(worker, code, batch)
        found, status = in_child(lambda each=performance: each.play().told(), batch.seconds)  # type: ignore[misc]
        took = monotonic() - started
        outcome = answer_of(found, status, batch.seconds, took)
        lost += outcome.kind == TIMEOUT
        channel.write(frame(TOOK, repr(took).encode()) + frame(OUTCOME, to_json(outcome.told()).encode()))


def answer_of(found: Any, status: int, seconds: float, took: float) -> Answer:
    """Answer of a scenario's process."""
    if status:
        return timeout(seconds) if status & 127 == SIGALRM else died(status, took)
    return Answer.read({**found, "seconds": took})
