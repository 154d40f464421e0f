"""Guard: a gain that was timed on a part of a long input must appear on the whole input also."""

from __future__ import annotations

import math

from codeopt.core.words import factor
from codeopt.core.words import gain as speed
from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads.program.cut import CutPlan
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import judge

GAIN_SHARE = 1 / 3
"""Share of log(speedup) that the whole input must show: it runs once, and reading it is another share of its time."""
MOST_LONGER = 1.5
"""Time on the whole, as a multiple of the original's, up to which a draft that is as fast on the part is not slower."""


@guard(order=40, applies_to="comparisons")
def check_gain(gain: Gain) -> Finding | None:
    """A note with the figures of one run on the whole input; no gain where that does not show it."""
    if not isinstance(gain.plan, CutPlan) or gain.comparison.metric == "memory":
        return None
    cut = gain.plan.cut
    gain.notify(f"running it on the whole of {cut.of} once")
    run = run_on(gain.workload.runner, gain.draft, cut.whole)
    outcome = judge(cut.whole, run, gain.workload.suite.check)
    if outcome.verdict is not Verdict.AC:
        return Finding(Consequence.REJECT, f"on the whole of {cut.of}: {outcome.verdict} {outcome.detail}", outcome)
    faster = gain.comparison.decision is Decision.FASTER
    least = GAIN_SHARE * math.log(gain.comparison.ratio) if faster else -math.log(MOST_LONGER)
    took, whole_s = max(run.active_s, 1e-6), cut.whole_s
    if math.log(whole_s / took) < least:  # the original's time may be of another hour: measure it again now
        whole_s = max(whole_s, run_on(gain.workload.runner, gain.original, cut.whole).active_s)
    ratio = whole_s / took
    figures = f"on the whole of {cut.of} once: {whole_s:.3g} s, {run.active_s:.3g} s"
    if math.log(ratio) < least:
        why = f"{speed(gain.comparison.ratio)} on a part of {cut.of}, {factor(ratio)} {figures}"
        return Finding(Consequence.NO_GAIN, why, slower=ratio < 1 / MOST_LONGER)
    return Finding(Consequence.NOTE, f"{figures}: {factor(ratio)}")
