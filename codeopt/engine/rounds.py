"""The rounds of an improvement as a user sees them: each is shown and saved, the end explained, the best confirmed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeopt.core.console import Console
from codeopt.core.errors import Diagnostic, UsageError
from codeopt.core.history import Candidate
from codeopt.core.model import Usage
from codeopt.core.program import changes_of
from codeopt.core.revision import Revision
from codeopt.core.run_clock import DeadlineReached, LimitReached
from codeopt.core.run_store import RunStore, SavedRun
from codeopt.core.session import Session
from codeopt.core.step_error import STEP_ERRORS, StepError, error_in_words
from codeopt.core.words import Speedup
from codeopt.engine.judge import Judge
from codeopt.engine.loop import Confirmation, LoopStage, RefineLoop, Unrecorded
from codeopt.engine.next_steps import next_steps, tried, why_no_rule
from codeopt.engine.open_session import RULES
from codeopt.report.result import End, Result, rows_of
from codeopt.report.verdict import Verdict
from codeopt.workloads import WorkloadRequest
from codeopt_sandbox import Sandbox


@dataclass(frozen=True)
class RunRecorder(Unrecorded):
    """Keeps a run, and says how it goes."""

    run: RunStore
    session: Session
    subject: Revision | None = None
    input_seed: int | None = None

    def keep(self, loop: RefineLoop) -> None:
        """Save the state; what was never shown to a proposer is marked."""
        held_out = {case.name: case.held_out for case in loop.judge.suite.cases}
        ledger = loop.ledger.took(loop.clock.steps)  # a run that is killed books them also
        self.run.save(SavedRun(loop.history, ledger, held_out, self.subject, self.input_seed))

    def verdict(self, loop: RefineLoop) -> None:
        """Save the drafts as far as they are judged, and show each verdict once. Of the rules' only those that fail."""
        self.keep(loop)
        for candidate in loop.history.candidates[loop.told :]:
            if candidate.step is not None:
                break
            loop.told += 1
            passes = loop.proposer.name == RULES and (candidate.screening_only or candidate.faster)
            for line in rows_of(candidate):
                (self.session.console.detail if passes else self.session.console.print)(line)

    def after_round(self, loop: RefineLoop) -> None:
        """Save the round with what came after its verdict, such as the profile."""
        self.verdict(loop)
        self.session.between_rounds()

    def stage(self, loop: RefineLoop, stage: LoopStage) -> None:
        """Show the stage with the number of the next draft among the rounds of the budget, `2 of 4`."""
        limit = loop.budget.rounds
        self.session.console.stage(stage, f"{min(loop.ledger.rounds + 1, limit)} of {limit}" if limit else "")

    def usage(self, usage: Usage) -> None:
        """Pass it on to the session's owner."""
        self.session.on_usage(usage)


def run_rounds(loop: RefineLoop, console: Console) -> End:
    """Run the rounds, after those of an earlier session. A step that fails also ends them."""
    for candidate in loop.history.candidates[1:]:
        console.print_all(rows_of(candidate))
    try:
        loop.run()
    except (KeyboardInterrupt, LimitReached, *STEP_ERRORS) as error:
        end = _ended_by(loop, error)
        if end is End.FAILED and len(loop.history.candidates) > 1:
            console.warn(
                loop.ending.stopped + "; continuing with the best candidate so far" * any(True for _ in loop.ranked())
            )
        return end
    if loop.ending.unreadable:
        return End.UNREADABLE
    return End.BUDGET if loop.spent == loop.ending.stopped else End.SUFFICIENT


def _ended_by(loop: RefineLoop, error: KeyboardInterrupt | LimitReached | StepError) -> End:
    """Book what a step raised as the end of the run."""
    if isinstance(error, KeyboardInterrupt):
        loop.ending, end = replace(loop.ending, stopped="interrupted"), End.INTERRUPTED
    elif isinstance(error, LimitReached):
        loop.ending, end = replace(loop.ending, stopped=error.words, limit=error.limit), End.BUDGET
    else:
        loop.ending, end = replace(loop.ending, stopped=error_in_words(error), failure=error), End.FAILED
    return end


def finish(
    loop: RefineLoop, end: End, request: WorkloadRequest, sandbox: Sandbox, run: RunStore, reference: Revision | None
) -> Result:
    """Confirm and save the best candidate. Then add further facts and the reference."""
    session = request.session
    for candidate in loop.history.candidates[loop.told :]:  # those that were not judged to their end
        session.console.print_all(rows_of(candidate))
    session.console.stage(LoopStage.CONFIRM)
    loop.clock.reserved = 0.0
    limit = loop.ending.limit or loop.ledger.reached(loop.budget) or "seconds"  # before a confirmation takes more
    loop.ending = replace(loop.ending, limit=limit)
    confirmation, end = (loop.screened(), end) if loop.plan.quick else _confirmed(loop, end, session.console)
    best, workload = confirmation.best, loop.judge.workload
    evidence = replace(workload.evidence(), recording=request.recording)
    loop.ledger = loop.ledger.took(loop.clock.steps)
    result = Result(
        program=request.program,
        target=str(request.target),
        task=loop.task.name,
        proposer=loop.proposer.name,
        backend=sandbox.backend,
        isolation=sandbox.description,
        history=loop.history,
        best=best,
        verdict=Verdict.of_run(loop.history, best, confirmation.reason, evidence, workload.suite.held_out),
        stop_reason=loop.ending.stopped,
        end=end,
        ledger=loop.ledger,
        seconds=loop.ledger.seconds,
        confirmation_s=confirmation.seconds,
        refused=confirmation.refused,
        saved=run.path,
        interpreter=request.interpreter,
        failure=None if best else loop.ending.failure,
        raised_limit=loop.budget.raised(loop.ending.limit) if end is End.BUDGET else "",
    )
    session.on_verdict(result.to_json())
    if confirmation.unfinished or (end in (End.INTERRUPTED, End.FAILED) and best is None):
        return result  # the run has not ended: a later session continues it
    result = _save(run, result)  # what follows can be interrupted, and may not take it along
    return _save(run, _beside(loop, result, request, reference, confirmation.next_step))


def close(recorder: RunRecorder, loop: RefineLoop, result: Result) -> Result:
    """Save the state of a run that has ended, and return its result."""
    try:
        recorder.keep(loop)
    except UsageError as error:
        return _lacking(result, "the run could not be saved", error)
    return result


def _lacking(result: Result, what: str, error: StepError) -> Result:
    """Return the result with a diagnostic of the missing part."""
    return replace(result, verdict=result.verdict.with_gaps(Diagnostic(what, error_in_words(error))))


def _confirmed(loop: RefineLoop, end: End, console: Console) -> tuple[Confirmation, End]:
    """The confirmation, and why the run ended, which may be within it."""
    asked_s, tests_s = loop.ledger.usage.seconds, loop.clock.steps.get("tests", 0.0)
    try:
        with loop.clock.step("confirmation"):
            loop.recorder.verdict(loop)
            if end is End.INTERRUPTED:
                ranked = any(True for _ in loop.ranked())
                console.warn("interrupted", "Ctrl-C again leaves without confirming the best candidate" * ranked)
            return loop.confirm(), end
    except (KeyboardInterrupt, LimitReached, *STEP_ERRORS) as error:
        end = _ended_by(loop, error)
    finally:
        of_others = loop.ledger.usage.seconds - asked_s + loop.clock.steps.get("tests", 0.0) - tests_s
        loop.clock.steps["confirmation"] -= of_others  # which are those of the steps `model` and `tests`
    return loop.unconfirmed(loop.ending.stopped), end


def _save(run: RunStore, result: Result) -> Result:
    program, best = result.program, result.best
    changes = changes_of(program, best.revision if best else program.revision)
    before = Revision({each.path: each.program.text for each in changes})
    after = Revision({each.path: each.text for each in changes})
    try:
        run.finish(before, result.to_json(), after if best else None)
    except UsageError as error:
        return _lacking(result, "the result could not be saved", error)
    return result


def _beside(
    loop: RefineLoop, result: Result, request: WorkloadRequest, reference: Revision | None, todo: str
) -> Result:
    """Return the result with times by size, reference and slow lines, as far as there is time.

    todo: remedy for an inconclusive comparison.
    """
    session, judge, best = request.session, loop.judge, result.best
    session.console.stage("")
    measure = session.extras and not request.options.quick and result.end is not End.INTERRUPTED
    before = dict(loop.clock.steps)
    try:
        with loop.clock.step("result"):
            if best and best.comparison and measure:
                by_size = judge.by_size(best.revision, Speedup.of(best.comparison))
                result = replace(result, verdict=replace(result.verdict, by_size=by_size))
            if reference:
                result = replace(result, reference=_judged(judge, reference, session.console))
            steps = next_steps(
                judge, loop.task, best, request.options, measure=measure, asked=loop.ending.finished,
                command=session.command or ("improve", str(request.target)),
            )  # fmt: skip
            refused = why_no_rule(loop.proposer, loop.history.original, best) if loop.ending.finished else None
            outlook = replace(steps, refusals=refused, tried=tried(loop.history), next_step=todo or steps.next_step)
            verdict = result.verdict.with_gaps(*filter(None, [steps.shortfall]))
            result = replace(result, outlook=outlook, verdict=verdict)
    except KeyboardInterrupt:
        result = replace(result, end=End.INTERRUPTED, stop_reason="interrupted")
    except DeadlineReached:
        pass  # the result is known, and confirmed
    except STEP_ERRORS as error:
        result = _lacking(result, "what follows the verdict was not measured to its end", error)
    spent = {name: seconds - before.get(name, 0.0) for name, seconds in loop.clock.steps.items()}
    loop.ledger = loop.ledger.took(spent)
    return replace(result, ledger=loop.ledger, seconds=loop.ledger.seconds)


def _judged(judge: Judge, draft: Revision, console: Console) -> Candidate:
    """A person's program: the same judge, the same sandbox, confirmed in the same way."""
    console.progress("checking and timing the reference program")
    found = judge.check(draft, "the human's program")
    found = judge.time(found) if found.correct else found
    return judge.confirm(found) if found.faster else found
