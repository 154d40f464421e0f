"""Guard: what was given for timing and is not in the timed pass is made once on each side.

That is the whole of a long call of which a part is timed, on which the gain must appear also, and further BIG calls.
"""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.call import texts_of
from codeopt.core.words import end_of_run
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads._sizes import finding_on_whole
from codeopt.workloads.function.corpus.cases import MOST_ITEMS, without_unsteady
from codeopt.workloads.function.corpus.observe import BIG_S
from codeopt.workloads.function.resized import OF
from codeopt.workloads.function.timing import LEAST_S, LONG_SLOWER
from codeopt.workloads.function.workload import CallGain
from codeopt_sandbox.calls import CallBatch, CallRun
from codeopt_sandbox.comparing import AnsweredCase
from codeopt_sandbox.outcome import CaseVerdict, run_on
from codeopt_sandbox.verdict import judge


@guard(order=40, applies_to="comparisons")
def check_gain(gain: CallGain) -> Finding | None:
    """A note with the figures of the whole call on each side; no gain where these do not show it."""
    plan, workload = gain.plan, gain.workload
    cut = plan.timed.cut
    big = (text for text in texts_of(workload.corpus.big) if text not in plan.timed.batch.calls)
    calls = tuple(dict.fromkeys([*([cut.whole.text] if cut else []), *big]))
    if not calls:
        return None
    gain.notify("running long calls once")
    batch = CallBatch(calls, "check", budget=BIG_S, items=MOST_ITEMS, ordered=plan.timed.batch.ordered)
    case = _case(batch, max(LEAST_S, LONG_SLOWER * cut.whole_s) if cut else LEAST_S)
    patient = _case(batch, BIG_S)
    original = run_on(workload.runner, gain.original, patient, mode="exec")
    asked = case.expecting(original)
    if not asked.is_answered:
        return Finding(Consequence.REJECT, f"on a long call the original gives no answer: {end_of_run(original)}")
    outcome = workload.judge.run_with_answer(gain.draft, asked)
    note = None
    if outcome.verdict is CaseVerdict.WA and isinstance(outcome.run, CallRun):
        original = run_on(workload.runner, gain.original, patient, mode="exec")
        if isinstance(original, CallRun) and workload.judge.checker.of_run(asked, original):
            outcome = judge(asked, without_unsteady(asked, outcome.run, original), workload.suite.check)
            note = Finding(Consequence.NOTE, "a long call does not do the same twice: its answer is not compared")
    if outcome.verdict is not CaseVerdict.AC:
        return Finding(Consequence.REJECT, f"on a long call: {outcome.words}", outcome)
    if cut is None or gain.comparison.metric == "memory":
        return note

    def again() -> float:
        return _seconds(run_on(workload.runner, gain.original, patient, mode="exec"))

    found = finding_on_whole(gain, OF, _seconds(outcome.run), _seconds(original), again)
    return replace(found, reason=f"{found.reason}; {note.reason}") if note else found


def _case(batch: CallBatch, seconds: float) -> AnsweredCase:
    return AnsweredCase("long calls", batch.replace(seconds=seconds).stdin(), held_out=True)


def _seconds(run: object) -> float:
    """Seconds of the first call of a run, with the reading of its result and without waits for the processor; of a run
    without an answer its own."""
    assert isinstance(run, CallRun)
    return run.answer.outcomes[0].seconds if run.answer and run.answer.outcomes else run.wall_s
