"""One improvement, from flags to its result: what `codeopt improve` and `codeopt.improve()` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from codeopt.budget import Budget, Ledger
from codeopt.cases import cases_beside
from codeopt.commands._model import check_proposer, open_proposer, profile_modes, wants_model, writer
from codeopt.commands._sandbox import case_request, checker, open_from
from codeopt.errors import ModelError, ProgramError
from codeopt.history import History
from codeopt.judging import Judging
from codeopt.loop import Improvement
from codeopt.measurement import Judge
from codeopt.opening import open_judge
from codeopt.program import Program, read_program
from codeopt.report import HEADER, End, Result, hot, opening, row, to_json
from codeopt.screen import Screen
from codeopt.store import RunFolder, new_run
from codeopt.tasks import Task, open_task
from sandbox import Sandbox
from sandbox.compare import Rule

BELOW_LINEAR = ("constant", "log n", "sqrt n")
MODEL_ROUNDS = 4  # as in the paper; the rules stop by themselves


def improve_program(arguments: argparse.Namespace, screen: Screen) -> Result:
    """Improve one program; what cannot work is refused before anything is run. Raises CodeoptError."""
    if getattr(arguments, "function", ""):
        from codeopt.commands._function import improve_function

        return improve_function(arguments, screen)
    if not (arguments.cases or arguments.stdin or cases_beside(arguments.target)):
        from codeopt.commands._offer import offer_functions

        offer_functions(arguments, screen)
    program = read_program(arguments.target)
    task = open_task(arguments.task)
    if arguments.min_gain is not None:
        task = replace(task, min_gain=arguments.min_gain)  # type: ignore[type-var]
    check_proposer(arguments, task)
    earlier = RunFolder(arguments.resume).load(program.source) if arguments.resume else None
    with open_from(arguments, own_code_only=not wants_model(arguments), notify=screen.warn) as sandbox:
        where = f"{sandbox.backend}: {sandbox.description}"
        for line in opening(str(program.path), task.name, writer(arguments), where):
            screen.say(line)
        judge = _judge(arguments, program, task, sandbox, screen)
        folder = RunFolder(arguments.resume) if arguments.resume else new_run(arguments.run_dir, program.path.stem)
        work = _work(arguments, task, judge, earlier, saver(folder, program, screen))
        work.proposer = open_proposer(arguments, task, judge.suite.known, judge.original, work, folder.path, screen)
        screen.say(HEADER)
        for candidate in work.history.candidates[1:]:
            screen.say(row(candidate))
        end = rounds_of(work, screen)
        return finish(program, work, end, sandbox.backend, folder, screen)


def _judge(arguments: argparse.Namespace, program: Program, task: Task, sandbox: Sandbox, screen: Screen) -> Judge:
    """Measure the original, and say what it is like."""
    judge = open_judge(
        sandbox,
        program.source,
        case_request(arguments, program.path, sandbox),
        checker(arguments),
        metric=task.metric,
        rule=Rule(max_pairs=arguments.max_pairs, worth_having=1 + task.min_gain, clock=arguments.clock),
        profiled=not arguments.no_profile,
        timed=task.name != "readability",
        modes=profile_modes(wants_model(arguments)),
        strictness=arguments.changed_inputs,
        notify=screen.progress,
    )
    if judge.too_short:
        raise ProgramError(judge.too_short)
    longest = max(outcome.run.wall_s for outcome in judge.original.outcomes)
    cases = f"{len(judge.suite.cases)} cases, {judge.suite.held_back} held back"
    screen.say(f"original   {cases}   longest {longest:.3f} s{hot(judge.original.profile)}")
    return judge


def _work(
    arguments: argparse.Namespace,
    task: Task,
    judge: Judge,
    earlier: tuple[History, Ledger] | None,
    save: Callable[[Improvement], None],
) -> Improvement:
    """The improvement before its first round, or where an earlier sitting left it; its proposer is still to come."""
    model = wants_model(arguments)
    rounds = arguments.max_rounds or (MODEL_ROUNDS if model else None)
    budget = Budget(rounds, arguments.max_seconds, arguments.max_tokens, arguments.max_cost)
    history, ledger = earlier or (History((judge.original,)), Ledger())
    judge = judge if model else replace(judge, profiled=False)  # the rules go by the original's profile
    return Improvement(None, task, judge, budget, history, ledger, save)  # type: ignore[arg-type]


def saver(folder: RunFolder, program: Program, screen: Screen) -> Callable[[Improvement], None]:
    def save(work: Improvement) -> None:
        folder.save(work.history, work.ledger, program.source)
        screen.say(row(work.history.last))
        screen.stage(f"round {len(work.history.candidates)}: ")

    return save


def rounds_of(work: Improvement, screen: Screen) -> End:
    """Run the rounds. A failure of the model ends them too, once there is something to keep."""
    screen.stage(f"round {len(work.history.candidates)}: ")
    try:
        work.run()
    except KeyboardInterrupt:
        work.stopped = "interrupted"
        screen.warn("interrupted; confirming the best draft so far (again to leave at once)")
        return End.INTERRUPTED
    except ModelError as error:
        if not any(True for _ in work.ranked()):
            raise
        work.stopped = f"the model failed ({error})"
        screen.warn(f"{error}; going on with the best draft so far")
        return End.MODEL_FAILED
    return End.BUDGET if work.ledger.spent(work.budget) == work.stopped else End.SUFFICIENT


def finish(
    program: Program,
    work: Improvement,
    end: End,
    backend: str,
    folder: RunFolder,
    screen: Screen,
    evidence: dict[str, Any] | None = None,
) -> Result:
    """Confirm the best draft and save the end of the run."""
    folder.save(work.history, work.ledger, program.source)
    screen.stage("")
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
        held_back=work.judge.suite.held_back,
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
