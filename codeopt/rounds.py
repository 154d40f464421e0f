"""The rounds of an improvement as a user sees them: each is shown and saved, an end is explained, the best confirmed."""

from __future__ import annotations

from codeopt.errors import ModelError
from codeopt.history import Candidate
from codeopt.judge import Judge
from codeopt.loop import Improvement, Saver
from codeopt.program import Program
from codeopt.report import HEADER, End, Result, row, to_json
from codeopt.screen import Screen
from codeopt.store import RunStore, SavedRun
from codeopt.workloads import Suite


def saver(run: RunStore, suite: Suite, console: Screen) -> Saver:
    """Saves the run after each round, and says how it went."""
    held_out = {case.name: case.held_back for case in suite.cases}

    def save(loop: Improvement) -> None:
        run.save(SavedRun(loop.history, loop.ledger, held_out))
        if len(loop.history.candidates) > 1:
            console.say(row(loop.history.last))
        console.stage(f"round {len(loop.history.candidates)}: ")

    return save


def run_rounds(loop: Improvement, console: Screen) -> End:
    """Run the rounds, after those of an earlier sitting. A failing model ends them too, once there is a draft."""
    console.say(HEADER)
    for candidate in loop.history.candidates[1:]:
        console.say(row(candidate))
    console.stage(f"round {len(loop.history.candidates)}: ")
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
    loop: Improvement, end: End, program: Program, backend: str, run: RunStore, console: Screen, reference: str
) -> Result:
    """Confirm the best draft and save the end of the run."""
    console.stage("")
    best, reason = loop.confirm()
    judge = loop.judge
    result = Result(
        program=program,
        task=loop.task.name,
        proposer=loop.proposer.name,
        backend=backend,
        history=loop.history,
        best=best,
        reason=reason,
        stopped=loop.stopped,
        end=end,
        ledger=loop.ledger,
        seconds=loop.ledger.seconds,
        held_back=judge.suite.held_back,
        saved=run.path,
        facts=judge.workload.facts(),
        growth=_growth(judge, best) if best else "",
        reference=_judged(judge, reference, console) if reference else None,
    )
    run.finish(program.text, to_json(result), program.as_file(best.source) if best else None)
    return result


def _growth(judge: Judge, best: Candidate) -> str:
    """How cost grows, where it can be told of both."""
    if best.comparison is None or best.comparison.clock == "memory":
        return ""
    found = judge.growth(best.source)
    return found.text if found and found.old and found.new else ""


def _judged(judge: Judge, source: str, console: Screen) -> Candidate:
    """A person's program: the same judge, the same sandbox, confirmed in the same way."""
    console.progress("judging the human's program")
    found = judge.check(source, "the human's program")
    found = judge.time(found) if found.correct else found
    return judge.confirm(found) if found.faster else found
