"""Public view of objects with private state, and of containers that override operations.

A candidate may keep other private state if no caller can see it.
"""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.revision import Revision
from codeopt.workloads.function.timed_runs import TimedRuns
from codeopt_sandbox.call_answer import CallRun
from codeopt_sandbox.calls import Answer, CallBatch
from codeopt_sandbox.comparing import AnswerComparison, AnsweredCase
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.outcome import CaseVerdict, Mode, Outcome

FIRST = 60
"""First calls, the objects of all of which are asked; each takes a process of its own."""
EVERY = 8
"""Number of later calls of which one is asked."""


def judge_views(
    runner: TimedRuns, original: Revision, draft: Revision, case: AnsweredCase, outcome: Outcome,
    comparison: AnswerComparison, mode: Mode,
) -> Outcome:  # fmt: skip
    """A right outcome as a wrong one, where objects of the draft's answer their callers otherwise."""
    run = outcome.run
    if outcome.verdict is not CaseVerdict.AC or draft == original or not isinstance(run, CallRun):
        return outcome
    batch = _asked(case, run)
    if batch is None:
        return outcome
    environment, stdin = case.environment, batch.stdin()
    old, new = (runner.run(side, stdin, mode=mode, environment=environment).answer for side in (original, draft))
    if old is None:
        return outcome
    if new is None:
        return replace(outcome, verdict=CaseVerdict.WA, detail="there is no answer when its objects are asked")
    for call, was, now in zip(old.calls, old.outcomes, new.outcomes, strict=False):
        if found := comparison.seen_by_callers(was, now, timed=batch.program == "time"):
            return replace(outcome, verdict=CaseVerdict.WA, detail=replace(found, call=call).words)
    return outcome


def _asked(case: AnsweredCase, run: CallRun) -> CallBatch | None:
    """Return the calls whose objects have a hidden part. None if nothing is hidden."""
    if case.answer is None or run.answer is None:
        return None
    pairs = zip(case.answer.outcomes, run.answer.outcomes, strict=False)
    keeping = [at for at, pair in enumerate(pairs) if any(map(_is_asked, pair))]
    if not keeping:
        return None
    batch = batch_of(case.stdin)
    if batch.program == "time":
        return batch.replace(views=True, whole=False, passes=1)
    chosen = [at for number, at in enumerate(keeping) if number < FIRST or number % EVERY == 0]
    return batch.replace(views=True, calls=tuple(batch.calls[at] for at in chosen))


def _is_asked(answer: Answer) -> bool:
    """Return True if a part of an answer is visible only through a question."""
    hidden = answer.private or answer.private_arguments or answer.overrides
    return bool(hidden) or any(map(_is_asked, answer.steps))
