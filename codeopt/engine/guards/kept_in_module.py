"""Where less memory in the calls is not believed: the module keeps what they no longer make."""

from __future__ import annotations

from statistics import median

from codeopt.engine.guards import Consequence, Finding, Gain, TimedRegion, guard
from codeopt.workloads.function.timing.runs import TimedRuns

HALF, LEAST_BYTES = 0.5, 1 << 20
"""More of the gain than this must be left; and what two processes that import the same may differ by."""


@guard(region=TimedRegion.CALLS, order=60, every_round=True)
def check_gain(gain: Gain) -> Finding | None:
    """A table made at the import, or a library that is newly imported, is in the memory of each process."""
    if gain.comparison.clock != "memory" or not isinstance(gain.workload.runner, TimedRuns):
        return None
    runner = gain.workload.runner
    was, now = (
        min(timing.imported_bytes for timing in runner.timings(source) if timing.imported_bytes)
        for source in (gain.original, gain.draft)
    )
    gained = sum(median(case.original) - median(case.candidate) for case in gain.comparison.cases)
    if now - was <= HALF * gained + LEAST_BYTES:
        return None
    return Finding(
        Consequence.NO_GAIN,
        f"its calls take {gained / (1 << 20):.2g} MiB less at their peak, but its module, once it is imported, "
        f"{(now - was) / (1 << 20):.2g} MiB more",
    )
