"""Guard: add a caveat if a faster candidate uses much more memory."""

from __future__ import annotations

from codeopt.engine.guards import AnyGain, Consequence, Finding, TimedRegion, guard
from codeopt_sandbox.outcome import Caveat, CaveatKind, run_on

MIN_BYTES = 32 << 20
"""Smallest difference of the peaks that is reported, bytes."""


@guard(region=TimedRegion.RUN, order=30)
def check_gain(gain: AnyGain) -> Finding | None:
    """The peak of a run on the longest timed case, each in a fresh interpreter."""
    plan, runner = gain.plan, gain.workload.runner
    case = plan.longest  # of a part of it the interpreter has most
    if gain.comparison.metric == "memory":
        return None
    known = (outcome.run for outcome in gain.workload.baseline.outcomes if outcome.case == case.name)
    old = next(known, None) or run_on(runner, gain.original, case, mode="exec")
    new = run_on(runner, gain.draft, case, mode="exec")
    # Smallest ratio of the peaks that is reported. `MIN_BYTES` has to be exceeded also.
    if new.peak_bytes <= 2.0 * old.peak_bytes or new.peak_bytes - old.peak_bytes <= MIN_BYTES:
        return None
    expected, got = (f"takes {run.peak_bytes / (1 << 20):.0f} MiB at its peak" for run in (old, new))
    where = f"case {case.name}" if not case.held_out else "a case that is held out"
    caveat = Caveat(CaveatKind.MEMORY, where, expected, got, held_out=case.held_out)
    return Finding(Consequence.CAVEAT, caveat.words, caveats=(caveat,))
