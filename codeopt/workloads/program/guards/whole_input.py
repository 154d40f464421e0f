"""Guard: a gain that was timed on a part of a long input must appear on the whole input also."""

from __future__ import annotations

from codeopt.workloads import AnyGain, Consequence, Finding, guard
from codeopt.workloads._sizes import finding_on_whole
from codeopt.workloads.program.cut import CutPlan
from codeopt_sandbox.outcome import CaseVerdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import judge


@guard(order=40, applies_to="comparisons")
def check_gain(gain: AnyGain) -> Finding | None:
    """A note with the figures of one run on the whole input; no gain where that does not show it."""
    if not isinstance(gain.plan, CutPlan) or gain.comparison.metric == "memory":
        return None
    cut = gain.plan.cut
    gain.notify(f"running it on the whole of {cut.of} once")
    run = run_on(gain.workload.runner, gain.draft, cut.whole)
    outcome = judge(cut.whole, run, gain.workload.suite.check)
    if outcome.verdict is not CaseVerdict.AC:
        return Finding(Consequence.REJECT, f"on the whole of {cut.of}: {outcome.words}", outcome)

    def again() -> float:
        return run_on(gain.workload.runner, gain.original, cut.whole).active_s

    return finding_on_whole(gain, cut.of, run.active_s, cut.whole_s, again)
