"""Guard: a gain that was timed on a part of a long call must appear on the whole call also."""

from __future__ import annotations

from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads._long_inputs import finding_on_whole
from codeopt.workloads.function.corpus.observe import BIG_S
from codeopt.workloads.function.timing.long_calls import OF
from codeopt.workloads.function.timing.plan import LEAST_S, LONG_SLOWER, CallPlan
from codeopt_sandbox.calls import CallBatch, CallRun
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.outcome import Verdict
from codeopt_sandbox.runner import run_on


@guard(order=40, applies_to="comparisons")
def check_gain(gain: Gain) -> Finding | None:
    """A note with the figures of one call of each side; no gain where these do not show it."""
    plan = gain.plan
    if not isinstance(plan, CallPlan) or plan.timed.cut is None or gain.comparison.metric == "memory":
        return None
    cut, workload = plan.timed.cut, gain.workload
    gain.notify(f"making {OF} once")
    case = _case(cut.whole, max(LEAST_S, LONG_SLOWER * cut.whole_s))
    patient = _case(cut.whole, BIG_S)
    original = run_on(workload.runner, gain.original, patient, mode="exec")
    asked = case.expecting(original)
    outcome = workload.run_case(gain.draft, asked)
    if outcome.verdict is Verdict.WA:
        original = run_on(workload.runner, gain.original, patient, mode="exec")
        if workload.suite.check(asked.expected or b"", original.stdout):
            return Finding(Consequence.NOTE, f"{OF} does not do the same twice: its answer is not compared")
    if outcome.verdict is not Verdict.AC:
        return Finding(Consequence.REJECT, f"on {OF}: {outcome.verdict} {outcome.detail}", outcome)

    def again() -> float:
        return _seconds(run_on(workload.runner, gain.original, patient, mode="exec"))

    return finding_on_whole(gain, OF, _seconds(outcome.run), _seconds(original), again)


def _case(call: str, seconds: float) -> AnsweredCase:
    return AnsweredCase("the whole call", CallBatch((call,), "check", seconds=seconds).stdin(), held_out=True)


def _seconds(run: object) -> float:
    """Wall time of the one call of a run, with the reading of its result; of a run without an answer its own."""
    assert isinstance(run, CallRun)
    return run.answer.outcomes[0].seconds if run.answer and run.answer.outcomes else run.wall_s
