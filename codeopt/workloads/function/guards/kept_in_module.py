"""Memory that was moved out of the calls: the module keeps what they no longer make."""

from __future__ import annotations

from statistics import median

from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads.function.timed_runs import TimedRuns

MIN_LEFT_SHARE = 0.5
"""Share of the gain that must be left."""
NOISE_BYTES = 1 << 20
"""Bytes by which two processes that import the same may differ."""


@guard(order=60, every_round=True)
def check_gain(gain: Gain) -> Finding | None:
    """A table made at the import, or a library that is newly imported, is in the memory of each process."""
    if gain.comparison.metric != "memory" or not isinstance(gain.workload.runner, TimedRuns):
        return None
    runner = gain.workload.runner
    was, now = (
        min(timing.imported_bytes for timing in runner.timings(side) if timing.imported_bytes)
        for side in (gain.original, gain.draft)
    )
    gained = sum(median(case.original) - median(case.candidate) for case in gain.comparison.cases)
    if now - was <= MIN_LEFT_SHARE * gained + NOISE_BYTES:
        return None
    return Finding(
        Consequence.NO_GAIN,
        f"its calls take {gained / (1 << 20):.2g} MiB less at their peak, but its module, once it is imported, "
        f"{(now - was) / (1 << 20):.2g} MiB more",
    )
