"""Do the timed calls answer the same to the last bit? What a caveat excuses is told of them, too."""

from __future__ import annotations

from codeopt.guards import Consequence, Finding, Gain
from codeopt.workloads import TimedRegion

REGION = TimedRegion.CALLS
ORDER, ALWAYS = 10, True


def check(gain: Gain) -> Finding | None:
    """A caveat of each kind."""
    outcomes = [gain.workload.run_case(gain.draft, case) for case in gain.plan.cases]
    caveats = tuple(caveat for outcome in outcomes for caveat in outcome.caveats)
    return Finding(Consequence.CAVEAT, "timed calls answer otherwise", caveats=caveats) if caveats else None
