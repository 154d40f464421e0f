"""Find a faster version of a script, a function or a project.

The unified diff goes to standard output, everything else to standard error; no file changes without --write or -o.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import deliver, require_writable, show_diff, write_page
from codeopt.core.errors import BUDGET_SPENT, INTERRUPTED, ModelError, UsageError

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.report.result import Result

ACCEPTED = 0  # statuses
NOT_ACCEPTED = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "slow.py, mod.py::func, or pkg/ for its slowest functions"
    parser.add_argument("target", nargs="?", metavar="TARGET", help=told)
    flags.add_flags(parser, "improve")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="the module to run, as `python -m` does")
    told = "write a project's patch to a new branch, one commit for each edit"
    flags.group_of(parser, "Result").add_argument("--branch", metavar="NAME", help=told)


@command(
    examples=(
        "codeopt improve slow.py                       its cases are next to it",
        "codeopt improve mod.py::f --tests tests/      one function, by its tests",
        "codeopt improve src/                          its slowest functions",
        "codeopt improve slow.py --model gpt-5 --write   by a language model",
        "codeopt improve slow.py -- --top 10 data.csv",
    ),
    first=("--model", "--write", "--max-rounds", "--max-seconds", "--quick"),
    often=("--run", "--cases", "--stdin", "--tests", "--calls", "--json"),
    verdicts=(1, 6),
    takes_arguments=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Improve one program. Heavy imports happen here, so that --help is quick."""
    from codeopt.core.run_index import named_run
    from codeopt.core.run_store import is_several
    from codeopt.workloads.module import DoesNothing

    if arguments.list_rules or arguments.list_tasks:
        from codeopt.cli.listings import list_rules, list_tasks

        names = arguments.select or (), arguments.ignore or ()
        print(list_rules(*names) if arguments.list_rules else list_tasks())
        return ACCEPTED
    if arguments.resume is not None and arguments.target is arguments.module is arguments.run is None:
        # Run the command that began a run once more, with the arguments that are given now. Raises UsageError.
        from codeopt.cli.main import main
        from codeopt.core.next_step import parted
        from codeopt.core.run_index import named_run
        from codeopt.core.run_store import command_of

        run = named_run(arguments.resume, arguments.run_dir)
        assert run is not None
        earlier, now = parted(command_of(run)), parted(arguments.asked[1:])
        return main([*earlier[0], *now[0], *(now[1] or earlier[1])], arguments.began)
    target = flags.target_of(arguments)
    _check_output(arguments, target.path)
    _check_project(arguments, target.path)
    before = named_run(arguments.resume, arguments.run_dir)
    if not _is_several(target, flags.options_of(arguments)) and (before is None or not is_several(before)):
        with suppress(DoesNothing):
            return _improve_one(arguments, target)
    from codeopt.cli import improve_several  # not needed to report a mistake

    return improve_several.run(arguments, target)


def _is_several(target: Target, options: ImproveOptions) -> bool:
    """Return whether a target is a folder, or a module that only defines things. Raises UsageError."""
    from codeopt.workloads import kind_of
    from codeopt.workloads.module import is_library

    if target.path.is_dir():
        return not options.run and not options.workload
    if target.name or options.run or options.workload:
        return False
    kind = kind_of(target, options)
    return kind.name == "module" and is_library(kind.read(target).source)


def _improve_one(arguments: argparse.Namespace, target: Target) -> int:
    """Improve a program, a function or a project by its command."""
    from codeopt.core.console import Console
    from codeopt.core.run_store import RunFolders
    from codeopt.engine.improve import improve
    from codeopt.engine.open_session import open_session
    from codeopt.report.brief import below_verdict, next_line, verdict_lines
    from codeopt.report.result import open_draft

    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options = flags.options_of(arguments)
        command = tuple(arguments.asked)
        session = replace(
            open_session(console),
            began=arguments.began,
            runs=lambda options: RunFolders(options.run_dir, options.resume, command),
            command=command,
            on_verdict=lambda found: console.print_all(verdict_lines(found)),
        )
        result = improve(target, options, session)
        from codeopt.review.findings.known import open_findings  # not needed to report a mistake

        cache = session.open_cache
        known = not options.quick and open_findings(options, result.interpreter, cache, "improve", console)
        if known:
            known.keep(target.path, target.name, result)
        around = getattr(result.program, "around", None)
        no_rule = [] if result.best else result.outlook.no_rule(*([around.line_name] if around else []))
        left_open = open_draft(result.history, target.path.name) if result.goes_on else []
        console.print_all([*no_rule, *below_verdict(result.to_json(), verbose=arguments.verbose), *left_open])
        try:
            _deliver(arguments, result.require_drafts(), console)
        finally:
            console.print_all(next_line(result, written=arguments.write))
    return _status(result)


def _status(result: Result) -> int:
    from codeopt.core.step_error import exit_status_of
    from codeopt.report.result import End

    if result.end is End.INTERRUPTED:
        return INTERRUPTED
    if result.accepted:
        return ACCEPTED
    if result.end is End.UNREADABLE:
        return ModelError.exit_status
    if result.failure is not None:
        return exit_status_of(result.failure)
    return BUDGET_SPENT if result.end is End.BUDGET else NOT_ACCEPTED


def _check_project(arguments: argparse.Namespace, path: Path) -> None:
    """Refuse what a folder needs and has not, and what only a folder can have. Raises UsageError."""
    if arguments.branch is None:
        return
    if arguments.run is None or not path.is_dir():
        raise UsageError("--branch is for a project", hint="codeopt improve FOLDER --run COMMAND --branch NAME")
    from codeopt.cli.git_branch import check_branch

    check_branch(path, arguments.branch)


def _check_output(arguments: argparse.Namespace, path: Path) -> None:
    """Refuse before anything is run what could not be written after it."""
    if arguments.html:
        require_writable(arguments.html)
    if arguments.write and arguments.output:
        raise UsageError("give --write or -o FILE, not both")
    if arguments.output and arguments.output.suffix == ".ipynb":
        hint = f"--write puts a change into the cells of {path}"
        raise UsageError(f"-o {arguments.output} would be no notebook", hint=hint)
    if arguments.write and path.is_dir():
        return  # each file is looked at when it is written
    target = path if arguments.write else arguments.output
    if target is None or str(target) == "-":
        return
    require_writable(target)


def _deliver(arguments: argparse.Namespace, result: Result, console: Console) -> None:
    from codeopt.core.json_codec import write_recorded
    from codeopt.core.program import write_whole

    if result.accepted and arguments.branch:
        from codeopt.cli.git_branch import commit_branch
        from codeopt.core.words import Speedup, counted
        from codeopt.workloads.project.project_program import ProjectProgram

        assert isinstance(result.program, ProjectProgram)
        assert result.comparison is not None
        figures = Speedup.of(result.comparison)
        ratio = f"{figures.gain} ({counted(figures.pairs, 'pair')})"
        assert result.patch is not None
        commits = commit_branch(result.program, result.revision, arguments.branch, result.patch, ratio)
        made = f"{arguments.branch}: {counted(commits, 'commit')}"
        console.print(f"branch     {made}; your own branch and files are as they were")
    to_stdout, is_patch = str(arguments.output) == "-", result.patch is not None
    if result.accepted and arguments.write:
        for each in write_recorded(result.saved, result.changes):
            console.print(each.words)
    elif result.accepted and arguments.output and not to_stdout:
        write_whole(arguments.output, result.diff if is_patch else result.changes[0].text)
        console.print(f"wrote {arguments.output}")
    if arguments.html:
        from codeopt.core.run_index import read_run
        from codeopt.report.html.run_page import run_page

        write_page(arguments.html, run_page(read_run(result.saved)))
        console.print(f"wrote {arguments.html}")
    if arguments.json:
        print(json.dumps(result.to_json()))
    elif result.accepted and to_stdout and not is_patch:
        deliver(result.changes[0].text, None, what="the program")
    elif result.accepted:
        show_diff(result.diff, result.verdict.gain, console)
    sys.stdout.flush()
