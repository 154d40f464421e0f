"""The rounds of an improvement and what is kept of them: the same for programs and functions."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from codeopt.budget import Budget
from codeopt.commands._model import wants_model
from codeopt.console import Console
from codeopt.errors import ModelError
from codeopt.judging import Judging
from codeopt.loop import RefineLoop
from codeopt.measurement import Judge
from codeopt.program import Program
from codeopt.report import HEADER, End, Result, row, to_json
from codeopt.store import RunFolder

BELOW_LINEAR = ("constant", "log n", "sqrt n")
MODEL_ROUNDS = 4  # as in the paper; the rules stop by themselves


def budget_of(arguments: argparse.Namespace) -> Budget:
    """What the flags allow."""
    rounds = arguments.max_rounds or (MODEL_ROUNDS if wants_model(arguments) else None)
    return Budget(rounds, arguments.max_seconds, arguments.max_tokens, arguments.max_cost)


def saver(folder: RunFolder, program: Program, console: Console) -> Callable[[RefineLoop], None]:
    """Saves the run after each round, and says how it went."""

    def save(work: RefineLoop) -> None:
        folder.save(work.history, work.ledger, program.source)
        console.print(row(work.history.last))
        console.stage(f"round {len(work.history.candidates)}: ")

    return save


def rounds_of(work: RefineLoop, console: Console) -> End:
    """Run the rounds, after those of an earlier sitting. A failing model ends them too, once there is a draft."""
    console.print(HEADER)
    for candidate in work.history.candidates[1:]:
        console.print(row(candidate))
    console.stage(f"round {len(work.history.candidates)}: ")
    try:
        work.run()
    except KeyboardInterrupt:
        work.stopped = "interrupted"
        console.warn("interrupted; confirming the best draft so far (again to leave at once)")
        return End.INTERRUPTED
    except ModelError as error:
        if not any(True for _ in work.ranked()):
            raise
        work.stopped = f"the model failed ({error})"
        console.warn(f"{error}; going on with the best draft so far")
        return End.MODEL_FAILED
    return End.BUDGET if work.ledger.spent(work.budget) == work.stopped else End.SUFFICIENT


def finish(
    program: Program,
    work: RefineLoop,
    end: End,
    backend: str,
    folder: RunFolder,
    console: Console,
    evidence: dict[str, Any] | None = None,
) -> Result:
    """Confirm the best draft and save the end of the run."""
    folder.save(work.history, work.ledger, program.source)
    console.stage("")
    best, reason = work.confirm()
    timed = best is not None and best.comparison is not None and best.comparison.clock != "memory"
    result = Result(
        program=program,
        task=work.task.name,
        proposer=work.proposer.name,
        backend=backend,
        history=work.history,
        best=best,
        reason=reason,
        stopped=work.stopped,
        end=end,
        ledger=work.ledger,
        seconds=work.ledger.seconds,
        held_out=work.judge.suite.held_out,
        saved=folder.path,
        evidence=evidence,
        growth=_growth(work.judge, best.source) if best and timed else "",
    )
    folder.finish(program.text, to_json(result), program.as_file(best.source) if best else None)
    return result


def _growth(judge: Judging, source: str) -> str:
    """How cost grows, where it can be told of both."""
    old, new, text = judge.growth(source)
    reads_all = isinstance(judge, Judge)  # a program that seems to grow less than its input was too quick to tell
    return text if old and new and not (reads_all and new in BELOW_LINEAR) else ""
