"""Choice of the metric: a program that computes is timed by CPU time, one that waits by wall time.

Only the program's own behavior counts. Time on a core is no waiting, nor is time in the run queue. Load of the machine
can make a run appear to wait, and never the opposite. So one run without waiting decides, and wall time needs several
runs that wait.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from codeopt_sandbox.outcome import Run

Clock = Literal["cpu", "wall", "memory"]
BUSY_SHARE = 0.9
"""Least share of the wall time of a program that computes on a processor, or ready for one."""
CLOCK_S = 0.002
"""Seconds of a run that do not belong to the program: the delay until its end is noticed."""
LOOKS = 3
"""Runs that have to wait, each, before wall time is chosen."""


def choose_clock(run: Run, again: Callable[[], Run]) -> Clock:
    """The clock for what ran so; `again` makes another run of the same, and is asked only where wall time would be
    chosen."""
    if computes(run) or any(computes(again()) for _ in range(LOOKS - 1)):
        return "cpu"
    return "wall"


def computes(run: Run) -> bool:
    """Return True if a run waited only for a core."""
    return run.cpu_s + run.runqueue_wait_s >= BUSY_SHARE * run.wall_s - CLOCK_S
