"""Guard: check the draft in the very passes that are timed, as strictly as checked calls.

Compared are the results to the last bit, the output, the changed process state, and whether a result that its owner
changes is returned again. The draft cannot know of the check, as it happens after the clock is read.
"""

from __future__ import annotations

from dataclasses import replace

from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.corpus.cases import WholeCase
from codeopt.workloads.function.workload import CallGain
from codeopt_sandbox.calls import CallRun
from codeopt_sandbox.comparing import AnswerChecker
from codeopt_sandbox.outcome import CaseVerdict, Outcome


@guard(order=10, applies_to="comparisons")
def check_gain(gain: CallGain) -> Finding | None:
    """A rejection for what is wrong; else a caveat of each kind."""
    outcome = _looked_at(gain)
    if outcome is None:
        return None
    if outcome.verdict is not CaseVerdict.AC:
        return Finding(Consequence.REJECT, f"in the timed calls: {outcome.detail or outcome.words}", outcome)
    if outcome.caveats:
        return Finding(Consequence.CAVEAT, "timed calls give other results", caveats=outcome.caveats)
    return None


def _looked_at(gain: CallGain) -> Outcome | None:
    """Compare the draft's passes with the original's. None if the original's result fails or varies.

    The original runs a second time if the results differ.
    """
    batch = gain.plan.timed.batch
    # largest number of passes that are looked at: a draft may do right in some alone
    stdin = batch.replace(whole=True, passes=min(batch.passes, 3)).stdin()
    first = gain.workload.runner.run(gain.original, stdin)
    if first.exit != 0 or first.stop is not None:
        return None
    case = WholeCase("timed", stdin, held_out=True).expecting(first)
    outcome = gain.workload.run_case(gain.draft, case)
    if outcome.verdict is CaseVerdict.AC:
        return outcome
    again = gain.workload.run_case(gain.original, case)
    if again.verdict is CaseVerdict.AC:
        return outcome
    # the original leaves something else each time: judged by the answers alone
    run = outcome.run
    if not isinstance(run, CallRun) or run.answer is None or case.answer is None:
        return outcome
    expected, got = (replace(answer, state=None) for answer in (case.answer, run.answer))
    check = gain.workload.suite.check
    difference = check.of_answers(expected, got) if isinstance(check, AnswerChecker) else ""
    return outcome if difference else None
