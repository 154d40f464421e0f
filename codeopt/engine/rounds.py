"""The rounds of an improvement as a user sees them: each is shown and saved, the end explained, the best confirmed."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.console import Console
from codeopt.core.errors import ModelError
from codeopt.core.history import Candidate
from codeopt.core.run_store import RunStore, SavedRun
from codeopt.core.session import Session
from codeopt.core.words import clock
from codeopt.engine.judge import Judge
from codeopt.engine.loop import RefineLoop
from codeopt.engine.next_steps import next_steps
from codeopt.report.result import Columns, End, Result, row
from codeopt.workloads import WorkloadRequest
from codeopt_sandbox import Sandbox


@dataclass(frozen=True)
class RunRecorder:
    """Keeps a run, and says how it goes."""

    run: RunStore
    session: Session
    subject: str = ""
    """Source text that the run improves."""
    input_seed: int | None = None
    """Seed of the inputs that are made."""

    def keep(self, loop: RefineLoop) -> None:
        """Save the state; what was never shown to a proposer is marked."""
        held_out = {case.name: case.held_out for case in loop.judge.suite.cases}
        self.run.save(SavedRun(loop.history, loop.ledger, held_out, self.subject, self.input_seed))

    def after_round(self, loop: RefineLoop) -> None:
        """Save the round, and say how it went."""
        self.keep(loop)
        for candidate in loop.history.candidates[len(loop.history.candidates) - loop.added :]:
            self.session.console.print(row(candidate, columns_of(loop)))
        self.session.console.stage(stage_of(loop))
        self.session.between_rounds()


def stage_of(loop: RefineLoop) -> str:
    """`round 3 (2 of 4): `: its number in the table, and which of the budget's it is."""
    limit = loop.budget.rounds
    which = f" ({min(loop.ledger.rounds + 1, limit)} of {limit})" if limit else ""
    return f"round {len(loop.history.candidates)}{which}: "


def columns_of(loop: RefineLoop) -> Columns:
    """The columns of the table of rounds."""
    compared = clock("memory") if loop.task.metric == "memory" else "time"
    return Columns(loop.task.score_column, loop.judge.timed, compared)


def run_rounds(loop: RefineLoop, console: Console) -> End:
    """Run the rounds, after those of an earlier sitting. A failing model ends them too, once there is a draft."""
    columns = columns_of(loop)
    console.print(columns.header)
    for candidate in loop.history.candidates[1:]:
        console.print(row(candidate, columns))
    console.stage(stage_of(loop))
    try:
        loop.run()
    except KeyboardInterrupt:
        loop.stopped = "interrupted"
        console.warn("interrupted; confirming the best draft so far (again to leave at once)")
        return End.INTERRUPTED
    except ModelError as error:
        if not any(True for _ in loop.ranked()):
            raise
        loop.stopped = f"the model failed ({error})"
        console.warn(f"{error}; going on with the best draft so far")
        return End.MODEL_FAILED
    return End.BUDGET if loop.ledger.spent(loop.budget) == loop.stopped else End.SUFFICIENT


def finish(
    loop: RefineLoop, end: End, request: WorkloadRequest, sandbox: Sandbox, run: RunStore, reference: str
) -> Result:
    """Confirm the best draft, judge the reference, save the end of the run."""
    session, judge, program = request.session, loop.judge, request.program
    session.console.stage("")
    confirmation = loop.confirm()
    best = confirmation.best
    result = Result(
        program=program,
        target=str(request.target),
        task=loop.task.name,
        proposer=loop.proposer.name,
        backend=sandbox.backend,
        isolation=sandbox.description,
        history=loop.history,
        best=best,
        reason=confirmation.reason,
        stopped=loop.stopped,
        end=end,
        ledger=loop.ledger,
        seconds=loop.ledger.seconds,
        confirmation_s=confirmation.seconds,
        refused=confirmation.refused,
        held_out=judge.suite.held_out,
        saved=run.path,
        facts={**request.facts, **judge.workload.facts()},
        growth=_growth(judge, best) if best and session.extras else "",
        interpreter=request.interpreter,
        reference=_judged(judge, reference, session.console) if reference else None,
        outlook=next_steps(
            judge, loop.task, best, request.options, measure=session.extras and end is not End.INTERRUPTED
        ),
    )
    run.finish(program.text, result.to_json(), program.as_file(best.source) if best else None)
    return result


def _growth(judge: Judge, best: Candidate) -> str:
    """How cost grows, where it can be told of both."""
    if best.comparison is None or best.comparison.clock == "memory":
        return ""
    found = judge.growth(best.source)
    return found.text if found and found.old and found.new else ""


def _judged(judge: Judge, source: str, console: Console) -> Candidate:
    """A person's program: the same judge, the same sandbox, confirmed in the same way."""
    console.progress("judging the human's program")
    found = judge.check(source, "the human's program")
    found = judge.time(found) if found.correct else found
    return judge.confirm(found) if found.faster else found
