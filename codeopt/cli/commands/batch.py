"""Improve a set of programs.

The folder that --run-dir names holds a run folder for each problem: drafts, verdicts, raw timings, prompts, replies.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import BUDGET_SPENT, INTERRUPTED, ProgramError, UsageError
from codeopt.core.version import __version__

if TYPE_CHECKING:
    from codeopt.batch.batch_folder import BatchOptions
    from codeopt.batch.datasets import Problem
    from codeopt.batch.local import LocalBatch
    from codeopt.batch.on_ray import RayBatch
    from codeopt.batch.scheduler import Scheduler
    from codeopt.core.options import ImproveOptions

DONE = 0  # statuses
SAME = (
    "task",
    "model",
    "feedback",
    "select",
    "ignore",
    "check",
    "mutated_inputs",
    "max_examples",
    "min_gain",
    "metric",
    "with_target",
    "search",
)
"""Flags that a batch keeps from its first command on: rows made with other values do not belong in one table."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "folder with NAME/slow.py or .py files, .jsonl file (PIE), or .txt file of path::function"
    parser.add_argument("set", type=Path, metavar="SET", help=told)
    told = "kind of SET, such as pie or folders [default: detected]"
    parser.add_argument("--layout", default="", metavar="NAME", help=told)
    parser.add_argument("--limit", type=flags.count, metavar="N", help="use only the first N problems [default: all]")
    parser.add_argument("--with-target", action="store_true", help="also check and time the reference programs of SET")
    told = "run again what failed by the model, the sandbox or a busy machine"
    parser.add_argument("--retry-failed", action="store_true", help=told)
    flags.add_flags(parser, "batch")
    workers = parser.add_argument_group("Workers")
    told = "number of cores, with one worker each [default: all but one, or both]"
    workers.add_argument("--cores", type=flags.count, metavar="N", help=told)
    told = "maximum number of requests at a time to the model's server [default: no maximum]"
    workers.add_argument("--max-requests", type=flags.count, metavar="N", help=told)
    told = "Ray cluster that does the work [default: RAY_ADDRESS, or the local one]"
    workers.add_argument("--cluster", type=cluster, metavar="ray[:ADDRESS]", help=told)


def cluster(text: str) -> str:
    """ray, or ray:ADDRESS."""
    if text.partition(":")[0] != "ray":
        raise argparse.ArgumentTypeError(f"{text!r} is no kind of cluster; there is ray, or ray:ADDRESS")
    return text


@command(
    examples=(
        "codeopt batch set.jsonl --limit 10",
        "codeopt batch set.jsonl --run-dir out --model gpt-5",
    ),
    first=("--run-dir", "--cases", "--limit", "--model"),
    often=("--max-cost", "--max-rounds", "--task", "--cores", "--json"),
)
def run(arguments: argparse.Namespace) -> int:
    """Run or resume a batch. Raises UsageError for a set, a folder or settings that do not fit."""
    from collections import deque

    from codeopt.batch.batch_folder import BatchFolder, require_own_batch
    from codeopt.batch.locks import locked, measuring_cores
    from codeopt.batch.scheduler import Scheduler, open_progress
    from codeopt.cli.commands.report import show
    from codeopt.core.cache import machine
    from codeopt.core.ownership import STORE
    from codeopt.core.run_store import keep_out_of_git
    from codeopt.core.words import counted, utc

    options = _options(arguments)
    problems = _problems(arguments, options.improve)
    if arguments.run_dir is None:  # made after the set is read: a wrong one leaves nothing behind
        arguments.run_dir = Path(STORE, "batch", arguments.set.resolve().stem)
        arguments.run_dir.mkdir(parents=True, exist_ok=True)
        keep_out_of_git(Path(STORE))
    require_own_batch(arguments.run_dir)
    with locked(arguments.run_dir):
        batch = BatchFolder(arguments.run_dir, create=True)
        cores = measuring_cores(arguments.cores)
        batch.set_facts(process=os.getpid())
        batch.require_same(_settings(arguments, options.improve))
        batch.register(problems)
        if arguments.retry_failed:
            batch.reopen_failed()
        batch.set_facts(
            created=batch.facts.created or utc(time.time()),
            machine={**vars(machine()), "codeopt": __version__},
            python=options.interpreter.to_json() if options.interpreter else None,
            cores=len(cores),
        )
        ids = batch.left(arguments.limit)
        with open_progress(batch, quiet=arguments.quiet, limit=arguments.max_cost) as progress:
            scheduler = Scheduler(batch, progress.on_event, deque(ids))
            progress.begin(len(ids), len(cores[: len(ids)]))
            try:
                _batch(arguments, options, scheduler, cores).run()
            except KeyboardInterrupt:
                progress.warn("interrupted", "the same command continues")
                return INTERRUPTED
            if scheduler.stopped:
                progress.warn(f"stopped early: {scheduler.stopped}", "the same command with a larger budget continues")
        if arguments.json:
            show(batch, sys.stdout, as_object=True)
        elif not arguments.quiet:
            show(batch, sys.stderr, as_object=False)
        if batch.left(arguments.limit):
            return BUDGET_SPENT
    ended = [batch.status(each.id) for each in problems]
    if all(status.status == "skipped" for status in ended):
        raise ProgramError(f"none of {counted(len(ended), 'problem')} could be judged: {ended[0].reason}")
    return DONE


def _batch(
    arguments: argparse.Namespace, options: BatchOptions, scheduler: Scheduler, cores: list[int]
) -> LocalBatch | RayBatch:
    """The batch, on this machine or on a cluster."""
    from codeopt.batch.local import LocalBatch

    if not arguments.cluster:
        return LocalBatch(scheduler, options, cores)
    from codeopt.batch.on_ray import RayBatch

    return RayBatch(scheduler, options, arguments.cores, arguments.cluster.partition(":")[2])


def _options(arguments: argparse.Namespace) -> BatchOptions:
    """The request; refused before anything is run where it could not end well. Raises UsageError, ModelError.

    The interpreter of all problems is printed. Each node of a cluster uses its own unless one is named.
    """
    from codeopt.batch.batch_folder import BatchOptions
    from codeopt.core.console import Console
    from codeopt.engine.open_session import open_session
    from codeopt.engine.run_plan import make_plan
    from codeopt.report.result import python_line

    if (arguments.model or "").startswith("replay:"):
        hint = "a batch keeps each reply in its folder: the same command continues"
        raise UsageError("--model replay:FILE is for codeopt improve", hint=hint)
    # time and money are of the whole batch, cases of each problem
    options = flags.options_of(arguments, max_seconds=None, max_cost=None, cases=None)
    options = make_plan(options).options
    deadline = time.time() + arguments.max_seconds if arguments.max_seconds else None
    made = BatchOptions(options, arguments.with_target, arguments.max_cost, deadline, arguments.max_requests)
    if arguments.cluster and not options.python:
        return made
    console = Console(quiet=arguments.quiet)
    improve, interpreter = open_session(console).find_interpreter(options, arguments.set)
    console.detail(python_line(interpreter))
    return replace(made, improve=improve, interpreter=interpreter)


def _problems(arguments: argparse.Namespace, options: ImproveOptions) -> list[Problem]:
    """Read the set before anything is written, so that a wrong one leaves nothing behind. Raises UsageError."""
    from itertools import islice

    from codeopt.batch.datasets import SetRequest, read_set
    from codeopt.tasks import open_task

    layout = arguments.layout or ("texts" if open_task(options.task).of_texts else "")
    cases = arguments.cases.resolve() if arguments.cases else None
    found = read_set(SetRequest(arguments.set.resolve(), cases), layout)
    problems = list(islice(found, arguments.limit))
    if not problems:
        raise UsageError(f"{arguments.set} holds no problem")
    return problems


def _settings(arguments: argparse.Namespace, options: ImproveOptions) -> dict[str, Any]:
    found: dict[str, Any] = {name: getattr(arguments, name) for name in SAME}
    rules = {name: ",".join(found[name]) if found[name] else None for name in ("select", "ignore")}
    return {**found, **rules, "model": options.model, "set": arguments.set.name}
