"""Is a draft right in the very passes that are timed? Looked at as calls that are checked: what they answer to the last
bit, what they print and leave behind, and whether a result that its owner changes is given out again.

What is timed cannot know that it is looked at: it is asked when the clock has been read.
"""

from __future__ import annotations

from codeopt.engine.guards import Consequence, Finding, Gain, TimedRegion, guard
from codeopt.workloads.function.corpus.cases import WholeCase
from codeopt.workloads.function.timing.plan import CallPlan
from codeopt_sandbox.answers import STATE
from codeopt_sandbox.outcome import Outcome, Verdict

MAX_PASSES = 3
"""Largest number of passes that are looked at: a draft may do right in some alone."""


@guard(region=TimedRegion.CALLS, order=10, applies_to="comparisons")
def check_gain(gain: Gain) -> Finding | None:
    """A rejection for what is wrong; else a caveat of each kind."""
    if not isinstance(gain.plan, CallPlan):
        return None
    outcome = _looked_at(gain, gain.plan)
    if outcome is None:
        return None
    if outcome.verdict is not Verdict.AC:
        return Finding(Consequence.REJECT, f"in the timed calls: {outcome.detail or outcome.verdict}", outcome)
    if outcome.caveats:
        return Finding(Consequence.CAVEAT, "timed calls answer otherwise", caveats=outcome.caveats)
    return None


def _looked_at(gain: Gain, plan: CallPlan) -> Outcome | None:
    """The draft's passes beside the original's, which are made twice where they leave something else; None where they
    have no answer, or never the same."""
    batch = plan.timed.batch
    stdin = batch.replace(whole=True, passes=min(batch.passes, MAX_PASSES)).stdin()
    first = gain.workload.runner.run(gain.original, stdin)
    if first.exit != 0 or first.stop is not None:
        return None
    expected = first.stdout
    outcome = gain.workload.run_case(gain.draft, WholeCase("timed", stdin, expected, held_out=True))
    if outcome.verdict is Verdict.AC:
        return outcome
    again = gain.workload.run_case(gain.original, WholeCase("timed", stdin, expected, held_out=True))
    if again.verdict is Verdict.AC:
        return outcome
    return _without_state(gain, outcome, expected, stdin)


def _without_state(gain: Gain, outcome: Outcome, expected: bytes, stdin: bytes) -> Outcome | None:
    """Judged by the answers alone, where the original leaves something else each time."""
    answers, got = (text.partition(STATE.encode())[0] for text in (expected, outcome.run.stdout))
    difference = gain.workload.suite.check(answers, got)
    return outcome if difference else None
