"""Scenarios of a batch, played one after another, with their outcomes."""

from __future__ import annotations

import time

from ..channel import OUTCOME, TOOK, frame
from ..json_text import to_json
from ..outcome import NO_ARGUMENTS, NOT_COMPARABLE, RAISES, RETURNS, TIMEOUT, CallOutcome, died, not_made, timeout
from ..repr.plain import NOT_COMPARABLE as NO_TEXT
from . import CLOSED, KINDS, NO_SCENARIO
from .child import SIGALRM, in_child
from .play import Performance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import CodeType

    from ..arguments import Call
    from ..batch import CallBatch
    from ..channel import Channel
    from ..worker import CallWorker

monotonic = time.monotonic
LOST = 2
"""Number of hanging scenarios after which no other is played."""


def play_all(worker: CallWorker, batch: CallBatch, codes: Sequence[CodeType], channel: Channel) -> None:
    """Play each scenario in a process of its own, and send its outcome."""
    names = worker.arguments.names
    names.update({kind: named(kind) for kind in KINDS})
    if any("CALLS[" in call or "BIG[" in call for call in batch.calls):
        names.user_namespace()
    lost = 0
    for code in codes:
        if lost >= LOST:
            channel.write(frame(TOOK, b"0.0") + frame(OUTCOME, to_json(not_made().fields()).encode()))
            continue
        started = monotonic()
        text, status = in_child(Performance(worker, code, batch.seconds).play, batch.seconds)
        took = monotonic() - started
        outcome = outcome_of(text, status, batch.seconds, took)
        lost += outcome.kind == TIMEOUT
        channel.write(frame(TOOK, repr(took).encode()) + frame(OUTCOME, to_json(outcome.fields()).encode()))


def named(kind: str) -> Callable[..., tuple[str, tuple[Call, ...]]]:
    """Constructor of a scenario in a call's expression, e.g. `turns(f(1), f(2))`."""
    return lambda *calls: (kind, calls)


def outcome_of(text: str, status: int, seconds: float, took: float) -> CallOutcome:
    """Outcome of a scenario's process."""
    if status:
        return timeout(seconds) if status & 127 == SIGALRM else died(status, took)
    if text in ("", CLOSED):
        return CallOutcome(text or NO_SCENARIO, NO_ARGUMENTS, seconds=took)
    kind = NOT_COMPARABLE if NO_TEXT in text else RAISES if text.startswith("raises ") else RETURNS
    return CallOutcome(text, kind, seconds=took)
