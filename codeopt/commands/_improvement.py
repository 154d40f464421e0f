"""One improvement, from flags to its result: what `codeopt improve` and `codeopt.improve()` share."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace

from codeopt.budget import Ledger
from codeopt.cases import cases_beside
from codeopt.commands._model import check_proposer, open_proposer, profile_modes, wants_model, writer
from codeopt.commands._rounds import budget_of, finish, rounds_of, saver
from codeopt.commands._sandbox import case_request, checker, open_from
from codeopt.console import Console
from codeopt.errors import ProgramError
from codeopt.history import History
from codeopt.loop import RefineLoop
from codeopt.measurement import Judge
from codeopt.opening import open_judge
from codeopt.program import Program, read_program
from codeopt.report import Result, hot, opening
from codeopt.store import RunFolder, new_run
from codeopt.tasks import Task, open_task
from sandbox import Sandbox
from sandbox.compare import StoppingRule


def improve_target(arguments: argparse.Namespace, console: Console) -> Result:
    """Improve a program, or `arguments.function` in it; what cannot work is refused before anything is run.

    Raises CodeoptError.
    """
    if getattr(arguments, "function", ""):
        from codeopt.commands._function import improve_function

        return improve_function(arguments, console)
    return improve_program(arguments, console)


def improve_program(arguments: argparse.Namespace, console: Console) -> Result:
    """Improve one program that reads standard input."""
    if not (arguments.cases or arguments.stdin or cases_beside(arguments.target)):
        from codeopt.commands._offer import offer_functions

        offer_functions(arguments, console)
    program = read_program(arguments.target)
    task = open_task(arguments.task)
    if arguments.min_gain is not None:
        task = replace(task, min_gain=arguments.min_gain)  # type: ignore[type-var]
    check_proposer(arguments, task)
    earlier = RunFolder(arguments.resume).load(program.source) if arguments.resume else None
    with open_from(arguments, own_code_only=not wants_model(arguments), notify=console.warn) as sandbox:
        where = f"{sandbox.backend}: {sandbox.description}"
        for line in opening(str(program.path), task.name, writer(arguments), where):
            console.print(line)
        judge = _judge(arguments, program, task, sandbox, console)
        folder = RunFolder(arguments.resume) if arguments.resume else new_run(arguments.run_dir, program.path.stem)
        work = _work(arguments, task, judge, earlier, saver(folder, program, console))
        work.proposer = open_proposer(arguments, task, judge.suite.known, judge.original, work, folder.path, console)
        end = rounds_of(work, console)
        return finish(program, work, end, sandbox.backend, folder, console)


def _judge(arguments: argparse.Namespace, program: Program, task: Task, sandbox: Sandbox, console: Console) -> Judge:
    """Measure the original, and say what it is like."""
    judge = open_judge(
        sandbox,
        program.source,
        case_request(arguments, program.path, sandbox),
        checker(arguments),
        metric=task.metric,
        rule=StoppingRule(max_pairs=arguments.max_pairs, worth_having=1 + task.min_gain, clock=arguments.clock),
        profiled=not arguments.no_profile,
        timed=task.name != "readability",
        modes=profile_modes(wants_model(arguments)),
        strictness=arguments.changed_inputs,
        notify=console.progress,
    )
    if judge.too_short:
        raise ProgramError(judge.too_short)
    longest = max(outcome.run.wall_s for outcome in judge.original.outcomes)
    cases = f"{len(judge.suite.cases)} cases, {judge.suite.held_out} held out"
    console.print(f"original   {cases}   longest {longest:.3f} s{hot(judge.original.profile)}")
    return judge


def _work(
    arguments: argparse.Namespace,
    task: Task,
    judge: Judge,
    earlier: tuple[History, Ledger] | None,
    save: Callable[[RefineLoop], None],
) -> RefineLoop:
    """The improvement before its first round, or where an earlier sitting left it; its proposer is still to come."""
    history, ledger = earlier or (History((judge.original,)), Ledger())
    if not wants_model(arguments):
        judge = replace(judge, profiled=False)  # the rules go by the original's profile
    return RefineLoop(None, task, judge, budget_of(arguments), history, ledger, save)  # type: ignore[arg-type]
