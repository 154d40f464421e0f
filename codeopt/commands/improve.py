"""Improve a program: draft, run, compare, profile, critique, refine.

The unified diff goes to standard output, everything else to standard error; no file changes without --write or -o.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.commands._model import add_model_arguments, open_proposer, wants_model
from codeopt.commands._sandbox import (
    add_case_arguments,
    add_sandbox_arguments,
    case_request,
    checker,
    count,
    open_from,
    positive,
)
from codeopt.errors import ProgramError, UsageError

if TYPE_CHECKING:
    from codeopt.loop import Improvement
    from codeopt.program import Program
    from codeopt.report import Result
    from codeopt.screen import Screen
    from codeopt.store import RunFolder
    from codeopt.tasks import Task
    from sandbox import Sandbox

ORDER = 1
MODEL_ROUNDS = 4  # as in the paper; the rules stop by themselves
ACCEPTED, NOT_ACCEPTED, BUDGET_SPENT, INTERRUPTED = 0, 1, 6, 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("target", type=Path, metavar="FILE", help="a Python program that reads standard input")
    parser.add_argument(
        "-t", "--task", default="runtime", metavar="NAME", help="runtime, readability, or a dotted path (%(default)s)"
    )
    add_case_arguments(parser)
    add_model_arguments(parser)
    budget = parser.add_argument_group("budget, whichever ends first")
    budget.add_argument("-n", "--max-rounds", type=count, metavar="N", help=f"drafts ({MODEL_ROUNDS} with a model)")
    budget.add_argument("--max-seconds", type=positive, metavar="S", help="of the clock")
    budget.add_argument("--max-tokens", type=count, metavar="N", help="in and out together")
    budget.add_argument("--max-cost", type=positive, metavar="USD", help="needs [tool.codeopt.prices.MODEL]")
    judging = parser.add_argument_group("judging")
    judging.add_argument("--min-gain", type=positive, metavar="SHARE", help="least gain worth having (0.05)")
    judging.add_argument(
        "--clock", choices=["auto", "cpu", "wall"], default="auto", help="auto: CPU time if it computes (%(default)s)"
    )
    judging.add_argument(
        "--max-pairs", type=count, default=60, metavar="N", help="timed pairs per comparison (%(default)d)"
    )
    judging.add_argument("--no-profile", action="store_true", help="do without the profiler")
    add_sandbox_arguments(parser)
    out = parser.add_argument_group("result")
    out.add_argument(
        "--write", action="store_true", help="put the result in place (FILE.orig is kept unless git holds it)"
    )
    out.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write the result to FILE (- for standard output)"
    )
    out.add_argument("--json", action="store_true", help="one JSON object on standard output instead of the diff")
    out.add_argument(
        "--run-dir", type=Path, default=Path(".codeopt"), metavar="DIR", help="where runs are saved (%(default)s)"
    )
    out.add_argument("--resume", type=Path, metavar="RUN", help="go on with a saved run")
    out.add_argument("-q", "--quiet", action="store_true", help="say nothing on standard error but what went wrong")


def run(arguments: argparse.Namespace) -> int:
    """Improve one program. Heavy imports happen here, so that --help is quick."""
    from codeopt import report
    from codeopt.program import read_program
    from codeopt.screen import Screen
    from codeopt.tasks import open_task

    program = read_program(arguments.target)
    _check_output(arguments)
    task = open_task(arguments.task)
    if arguments.min_gain is not None:
        task = replace(task, min_gain=arguments.min_gain)  # type: ignore[type-var]
    with Screen(quiet=arguments.quiet) as screen:
        model = wants_model(arguments)
        with open_from(arguments, own_code_only=not model, notify=screen.warn) as sandbox:
            result, interrupted = _improve(arguments, program, task, sandbox, screen, model)
        _deliver(arguments, program, result, screen)
        for line in report.summary(result):
            screen.say(line)
    if interrupted:
        return INTERRUPTED
    if result.best is not None:
        return ACCEPTED
    return BUDGET_SPENT if "limit" in result.stopped else NOT_ACCEPTED


def _improve(
    arguments: argparse.Namespace, program: Program, task: Task, sandbox: Sandbox, screen: Screen, model: bool
) -> tuple[Result, bool]:
    from codeopt import report
    from codeopt.budget import Budget, Ledger
    from codeopt.history import History
    from codeopt.loop import Improvement
    from codeopt.measurement import open_judge
    from codeopt.store import RunFolder, new_run
    from sandbox.compare import Rule

    folder = RunFolder(arguments.resume) if arguments.resume else new_run(arguments.run_dir, program.path.stem)
    rule = Rule(max_pairs=arguments.max_pairs, worth_having=1 + task.min_gain, clock=arguments.clock)
    screen.say(f"{program.path}   task {task.name}   {sandbox.backend}: {sandbox.description}")
    screen.stage("")
    judge = open_judge(
        sandbox, program.source, case_request(arguments, program.path, sandbox), checker(arguments),
        metric=task.metric, rule=rule, profiled=not arguments.no_profile, timed=task.name != "readability",
        strictness=arguments.changed_inputs, notify=screen.progress,
    )  # fmt: skip
    if judge.too_short:
        raise ProgramError(judge.too_short)
    longest = max(outcome.run.wall_s for outcome in judge.original.outcomes)
    suite = judge.suite
    screen.say(
        f"original   {len(suite.cases)} cases, {suite.held_back} held back   longest {longest:.3f} s{report.hot(judge.original.profile)}"
    )
    rounds = arguments.max_rounds or (MODEL_ROUNDS if model else None)
    budget = Budget(rounds, arguments.max_seconds, arguments.max_tokens, arguments.max_cost)
    history, ledger = folder.load(program.source) if arguments.resume else (History((judge.original,)), Ledger())
    work = Improvement(
        None, task, judge, budget, history, ledger, lambda w: _after_round(w, folder, program.source, screen)  # type: ignore[arg-type]
    )  # fmt: skip
    if not model:  # the rules go by the original's profile
        work.judge = replace(judge, profiled=False)
    work.proposer = open_proposer(arguments, task, suite.known, judge.original, work, folder.path, screen)
    screen.say(report.HEADER)
    for candidate in history.candidates[1:]:
        screen.say(report.row(candidate))
    interrupted = _rounds(work, screen)
    folder.save(work.history, work.ledger, program.source)
    with _undisturbed():
        screen.stage("")
        best, reason = work.confirm()
    result = report.Result(
        program.path, task.name, work.proposer.name, sandbox.backend, work.history, best, reason, work.stopped, work.ledger,
        suite.held_back, folder.path,
    )  # fmt: skip
    folder.finish(program.source, report.to_json(result), best.source if best else None)
    return result, interrupted


def _rounds(work: Improvement, screen: Screen) -> bool:
    """Run the rounds; True when the user ended them. The model's failure ends them too, once there is something to keep."""
    from codeopt.errors import ModelError

    screen.stage("round 1: ")
    try:
        work.run()
    except KeyboardInterrupt:
        work.stopped = "interrupted"
        screen.warn("interrupted; confirming the best draft so far (again to leave at once)")
        return True
    except ModelError as error:
        if not any(True for _ in work.ranked()):
            raise
        work.stopped = f"the model failed ({error})"
        screen.warn(f"{error}; going on with the best draft so far")
    return False


def _after_round(work: Improvement, folder: RunFolder, source: str, screen: Screen) -> None:
    from codeopt import report

    folder.save(work.history, work.ledger, source)
    screen.say(report.row(work.history.last))
    screen.stage(f"round {len(work.history.candidates)}: ")


@contextlib.contextmanager
def _undisturbed() -> Iterator[None]:
    """A second Ctrl-C during the confirmation still ends the program; the first one has been handled."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _check_output(arguments: argparse.Namespace) -> None:
    """Refuse before anything is run what could not be written after it."""
    if arguments.write and arguments.output:
        raise UsageError("give --write or -o FILE, not both")
    target = arguments.target if arguments.write else arguments.output
    if target is None or str(target) == "-":
        return
    folder = target.resolve().parent
    if target.is_dir():
        raise UsageError(f"cannot write {target}: it is a directory")
    if not folder.is_dir():
        raise UsageError(f"cannot write {target}: there is no directory {folder}")
    if not os.access(folder, os.W_OK):
        raise UsageError(f"cannot write {target}: {folder} is read-only for you (-o FILE writes elsewhere)")


def _deliver(arguments: argparse.Namespace, program: Program, result: Result, screen: Screen) -> None:
    """The result, to where the user wants it."""
    from codeopt import report
    from codeopt.program import replace_program, write_whole

    if result.best is not None and arguments.write:
        kept = replace_program(program, result.best.source)
        screen.say(
            f"wrote {program.path}" + (f", the original is kept as {kept}" if kept else ", git holds the original")
        )
    elif result.best is not None and arguments.output and str(arguments.output) != "-":
        write_whole(arguments.output, result.best.source)
        screen.say(f"wrote {arguments.output}")
    if arguments.json:
        print(json.dumps(report.to_json(result)))
    elif result.best is not None:
        if str(arguments.output) == "-":
            sys.stdout.write(result.best.source)
        else:
            sys.stdout.write(report.diff(program.path, program.source, result.best.source))
    sys.stdout.flush()
