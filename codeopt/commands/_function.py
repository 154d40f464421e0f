"""One improvement of a function: as of a program, with other evidence."""

from __future__ import annotations

import argparse
from dataclasses import replace
from string import Template

from codeopt.budget import Ledger
from codeopt.commands._model import check_proposer, open_plain_model, open_proposer, wants_model, writer
from codeopt.commands._rounds import budget_of, finish, rounds_of, saver
from codeopt.commands._sandbox import open_from
from codeopt.console import Console
from codeopt.errors import ProgramError
from codeopt.functions.bench import Bench, open_bench
from codeopt.functions.compare import describe, prepare
from codeopt.functions.evidence import Evidence, TooThin
from codeopt.functions.flags import chosen
from codeopt.functions.judge import FunctionJudge
from codeopt.functions.memo import remembered
from codeopt.functions.proposer import NOTE, FunctionProposer, within
from codeopt.functions.target import read_function
from codeopt.functions.written import ask_for_calls
from codeopt.history import History
from codeopt.loop import RefineLoop
from codeopt.program import read_program
from codeopt.proposers import Proposer
from codeopt.proposers.rules import Rules
from codeopt.proposers.rules_first import RulesFirst
from codeopt.report import Result, hot, opening
from codeopt.store import RunFolder, new_run
from codeopt.tasks import Task, open_task
from sandbox import Sandbox
from sandbox.compare import StoppingRule

SEEN = 4
"""Calls with outcomes that a model is shown beside the function."""


def improve_function(arguments: argparse.Namespace, console: Console) -> Result:
    """Improve `arguments.function` of the module at `arguments.target`. Raises CodeoptError."""
    program = read_program(arguments.target)
    function = read_function(arguments.target, arguments.function)
    task = function_task(arguments)
    check_proposer(arguments, task)
    earlier = RunFolder(arguments.resume).load(program.source) if arguments.resume else None

    def open_with(mounts: tuple[tuple[str, str], ...]) -> Sandbox:
        return open_from(arguments, own_code_only=not wants_model(arguments), notify=console.warn, mounts=mounts)

    with open_bench(function, open_with, chosen(arguments).tests) as bench:
        where = f"{bench.sandbox.backend}: {bench.sandbox.description}"
        for line in opening(f"{program.path}::{function.qualname}", task.name, writer(arguments), where):
            console.print(line)
        evidence, judge, spent = _judge(arguments, bench, task, console)
        assert judge.timed is not None
        console.print(f"original   {words(evidence)}   {judge.timed.note}{hot(judge.original.profile)}")
        name = f"{program.path.stem}.{function.qualname}"
        folder = RunFolder(arguments.resume) if arguments.resume else new_run(arguments.run_dir, name)
        history, ledger = earlier or (History((judge.original,)), spent)
        rounds_judge = judge if wants_model(arguments) else replace(judge, profiled=False)
        save = saver(folder, program, console)
        work = RefineLoop(None, task, rounds_judge, budget_of(arguments), history, ledger, save)  # type: ignore[arg-type]
        inner = open_proposer(arguments, task, judge.suite.known, judge.original, work, folder.path, console)
        work.proposer = for_function(inner, judge.bench.target.module, judge)
        end = rounds_of(work, console)
        result = finish(program, work, end, bench.sandbox.backend, folder, console, evidence=describe(evidence))
        for note in remembered(result.best.source, program.source, judge.timed) if result.best else ():
            console.print(note)
        return replace(result, written=judge.bench.target.calls_file or "")


def _judge(
    arguments: argparse.Namespace, bench: Bench, task: Task, console: Console
) -> tuple[Evidence, FunctionJudge, Ledger]:
    """Calls, if need be written by the model, and a judge on them; what the model took for it."""
    options, profiled = chosen(arguments), not arguments.no_profile
    rule = StoppingRule(max_pairs=arguments.max_pairs, worth_having=1 + task.min_gain, clock=arguments.clock)
    spent = Ledger()
    try:
        _, evidence, judge = prepare(bench, options, rule, console.progress, profiled=profiled)
    except TooThin as error:
        if options.calls or not wants_model(arguments):
            raise
        console.print(f"{error}; asking the model for calls")
        written, reply = ask_for_calls(open_plain_model(arguments, console), bench, str(error))
        spent, options = spent.add(reply), replace(options, written=written)
        _, evidence, judge = prepare(bench, options, rule, console.progress, profiled=profiled)
    if judge.timed is None:
        raise ProgramError(judge.too_short)
    return evidence, judge, spent


def function_task(arguments: argparse.Namespace) -> Task:
    """The task, with a word on functions in what a model is told."""
    task = open_task(arguments.task)
    if arguments.min_gain is not None:
        task = replace(task, min_gain=arguments.min_gain)  # type: ignore[type-var]
    prompts = replace(task.prompts, system=Template(task.prompts.system.template + NOTE))
    return replace(task, prompts=prompts)  # type: ignore[type-var]


def for_function(inner: Proposer, module: str, judge: FunctionJudge) -> Proposer:
    """A proposer that keeps to the function."""
    qualname = judge.bench.function.qualname
    if isinstance(inner, Rules):
        inner.rules = within((rule for rule in inner.rules if not rule.scripts_only), qualname)
        return inner
    if isinstance(inner, RulesFirst):  # the rules are for whole programs, or for the function in its module
        inner = inner.model
    cases = [case for case in judge.suite.cases if not case.held_out]
    lines = (cases[0].expected or b"").decode("utf-8", "replace").split("\n") if cases else []
    seen = tuple(line[:200] for line in lines if line and not line.startswith("state: "))
    return FunctionProposer(inner, module, qualname, seen[:SEEN])


def words(evidence: Evidence) -> str:
    """`12 calls (9 derived, 3 calls_file), 80% of the lines`."""
    counts = ", ".join(f"{count} {name}" for name, count in sorted(evidence.counts.items(), key=lambda pair: -pair[1]))
    tests = f", {len(evidence.tests)} tests" if evidence.tests else ""
    return f"{len(evidence.known)} calls ({counts}){tests}, {evidence.coverage:.0%} of the function's lines"
