"""The clock to compare by: a program that computes is timed by CPU time, one that waits by wall time.

The program's own behaviour counts, not the machine's: what it spent on a processor, or ready for one that others had,
is no waiting. Whatever load leaves of its wall time beside that makes a run look as if it waited, and never the
opposite: so one run that does not wait decides, and several have to before wall time is chosen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from codeopt_sandbox.outcome import Run

Clock = Literal["cpu", "wall", "memory"]
BUSY_SHARE = 0.9
"""Least share of the wall time of a program that computes on a processor, or ready for one."""
CLOCK_S = 0.002
"""Seconds of a run that are none of the program's: its end has to be heard of."""
LOOKS = 3
"""Runs that have to wait, each, before wall time is chosen."""


def choose_clock(run: Run, again: Callable[[], Run]) -> Clock:
    """The clock for what ran so; `again` makes another run of the same, and is asked only where wall time would be
    chosen."""
    if computes(run) or any(computes(again()) for _ in range(LOOKS - 1)):
        return "cpu"
    return "wall"


def computes(run: Run) -> bool:
    """Whether a run had nothing to wait for but a processor."""
    return run.cpu_s + run.runqueue_wait_s >= BUSY_SHARE * run.wall_s - CLOCK_S
