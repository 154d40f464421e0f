"""Is a draft right each time? One that is right in 95 % of its runs is found."""

from __future__ import annotations

import time
from dataclasses import replace

from codeopt.engine.guards import AnyGain, Consequence, Finding, TimedRegion, guard
from codeopt_sandbox.outcome import CaseVerdict, run_on
from codeopt_sandbox.verdict import judge

MAX_RUNS = 100
"""Number of runs that a faster draft is given once more."""
MAX_S = 0.8


@guard(region=TimedRegion.RUN, order=40)
def check_gain(gain: AnyGain) -> Finding | None:
    """Return the first wrong run among many, the shortest cases first."""
    gain.notify("running it several times")
    suite = gain.workload.suite
    outcomes = zip(gain.workload.baseline.outcomes, suite.cases, strict=True)
    timed = sorted(outcomes, key=lambda pair: pair[0].run.active_s)
    deadline = time.monotonic() + MAX_S
    for number in range(MAX_RUNS):
        if time.monotonic() > deadline:
            break
        case = timed[number % len(timed)][1]
        outcome = judge(case, run_on(gain.workload.runner, gain.draft, case), suite.check)
        if outcome.verdict is not CaseVerdict.AC:
            reason = f"not always right: {outcome.detail or outcome.words}"
            return Finding(Consequence.REJECT, reason, replace(outcome, detail=reason))
    return None
