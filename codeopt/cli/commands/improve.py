"""Improve a program: draft, run, compare, profile, critique, refine.

The unified diff goes to standard output, everything else to standard error; no file changes without --write or -o.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import deliver, require_writable, write_diff, write_page
from codeopt.core.errors import UsageError

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.core.options import ImproveOptions
    from codeopt.core.target import Target
    from codeopt.report.result import Result

ACCEPTED = 0  # statuses
NOT_ACCEPTED = 1
BUDGET_SPENT = 6  # before anything was accepted
INTERRUPTED = 130


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    flags.add_target_arguments(parser)
    flags.add_flags(parser, "improve")
    flags.group_of(parser, "drafts").add_argument(
        "-m", dest="short_m", metavar="NAME", help="with a TARGET: --model; without one: the module to run"
    )
    flags.group_of(parser, "result").add_argument(
        "--branch", metavar="NAME", help="new branch for a project's patch, one commit an edit (a folder with --run)"
    )


@command(
    1,
    examples=(
        "codeopt improve slow.py                       with input.N.txt and output.N.txt beside it",
        "codeopt improve mod.py::f --tests tests/      one function, by its tests",
        "codeopt improve src/                          the functions that take most of their tests' time",
        "codeopt improve slow.py --model gpt-5 --write   by a language model, put in place",
        "codeopt improve slow.py --html page.html -- --top 10 data.csv",
    ),
    first=("--model", "--cases", "--write", "--json", "--max-rounds"),
    often=("--tests", "--run", "--task", "--output", "--dry-run"),
    verdicts=(1, 6),
    takes_arguments=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Improve one program. Heavy imports happen here, so that --help is quick."""
    from codeopt.workloads.module import DoesNothing

    target = flags.target_of(arguments)
    _check_output(arguments, target.path)
    _check_project(arguments, target.path)
    if _is_several(target, flags.options_of(arguments)):
        return _improve_several(arguments, target)
    if arguments.dry_run:
        return _dry_run(arguments, target)
    try:
        return _improve_one(arguments, target)
    except DoesNothing:
        return _improve_several(arguments, target)


def _improve_several(arguments: argparse.Namespace, target: Target) -> int:
    from codeopt.cli import improve_several  # which loads what a mistake can do without

    return improve_several.run(arguments, target)


def _is_several(target: Target, options: ImproveOptions) -> bool:
    """Whether a target is a folder, or a module that is read to do nothing but define. Raises UsageError."""
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
    from codeopt.engine.improve import improve
    from codeopt.engine.open_session import open_session
    from codeopt.report import result as report
    from codeopt.report.brief import brief_summary

    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        options, session = flags.options_of(arguments), open_session(console, began=arguments.began)
        result = improve(target, options, session)
        from codeopt.review.findings.known import open_findings  # which loads what a mistake can do without

        if known := open_findings(options, result.interpreter, session.open_evidence, "improve", console):
            known.keep(target.path, target.name, result)
        try:
            _deliver(arguments, result, console)
        finally:
            told = brief_summary(result, written=arguments.write) if console.brief else report.summary(result)
            for line in [*[report.steps_line(result)] * arguments.verbose, *told]:
                console.print(line)
    return _status(result)


def _dry_run(arguments: argparse.Namespace, target: Target) -> int:
    """Print the plan."""
    from codeopt.cli.dry_run import dry_run, in_words

    found = dry_run(target, flags.options_of(arguments))
    print(json.dumps(found) if arguments.json else in_words(found))
    return 0


def _status(result: Result) -> int:
    from codeopt.report.result import End

    if result.end is End.INTERRUPTED:
        return INTERRUPTED
    if result.accepted:
        return ACCEPTED
    return BUDGET_SPENT if result.end is End.BUDGET else NOT_ACCEPTED


def _check_project(arguments: argparse.Namespace, path: Path) -> None:
    """Refuse what a folder needs and has not, and what only a folder can have. Raises UsageError."""
    if arguments.export:
        if arguments.run is None or not path.is_dir():
            raise UsageError("--export is for a project's benchmarks: codeopt improve FOLDER --run COMMAND --export")
        from codeopt.cli.exports import check_export

        check_export(arguments.export[0], Path(arguments.export[1]))
    if arguments.branch is None:
        return
    if arguments.run is None or not path.is_dir():
        raise UsageError("--branch is for a project: codeopt improve FOLDER --run COMMAND --branch NAME")
    from codeopt.cli.git_branch import check_branch

    check_branch(path, arguments.branch)


def _check_output(arguments: argparse.Namespace, path: Path) -> None:
    """Refuse before anything is run what could not be written after it."""
    if arguments.html:
        require_writable(arguments.html)
    if arguments.write and arguments.output:
        raise UsageError("give --write or -o FILE, not both")
    if arguments.output and arguments.output.suffix == ".ipynb":
        raise UsageError(f"-o {arguments.output} would be no notebook: --write puts a change into the cells of {path}")
    if arguments.write and path.is_dir():
        return  # each file is looked at when it is written
    target = path if arguments.write else arguments.output
    if target is None or str(target) == "-":
        return
    require_writable(target)


def _branched(name: str, result: Result) -> str:
    """Make the branch. Raises UsageError."""
    from codeopt.cli.git_branch import commit_branch
    from codeopt.core.words import Speedup, counted
    from codeopt.workloads.project.text import ProjectProgram

    assert isinstance(result.program, ProjectProgram)
    assert result.comparison is not None
    figures = Speedup.of(result.comparison)
    ratio = f"{figures.gain} ({counted(figures.pairs, 'pair')})"
    commits = commit_branch(result.program, result.revision, name, result.facts, ratio)
    return f"branch     {name}: {counted(commits, 'commit')}; your own branch and files are as they were"


def _deliver(arguments: argparse.Namespace, result: Result, console: Console) -> None:
    """The result, to where the user wants it."""
    from codeopt.core.program import replace_files, write_whole, wrote
    from codeopt.report.patch_table import has_edits

    if result.accepted and arguments.branch:
        console.print(_branched(arguments.branch, result))
    if arguments.export:
        from codeopt.cli.exports import export

        console.print(export(arguments.export[0], Path(arguments.export[1]), result.facts.get("benchmarks")))
    to_stdout, is_patch = str(arguments.output) == "-", has_edits(result.facts)
    if result.accepted and arguments.write:
        for part, kept in replace_files(result.program, result.revision):
            console.print(wrote(part, kept))
    elif result.accepted and arguments.output and not to_stdout:
        write_whole(arguments.output, result.diff if is_patch else result.changes[0].text)
        console.print(f"wrote {arguments.output}")
    if arguments.html:
        _write_html(arguments.html, result.saved)
        console.print(f"wrote {arguments.html}")
    if arguments.json:
        print(json.dumps(result.to_json()))
    elif result.accepted and to_stdout and not is_patch:
        deliver(result.changes[0].text, None, what="the program")
    elif result.accepted:
        write_diff(result.diff)
    sys.stdout.flush()


def _write_html(path: Path, saved: Path) -> None:
    """The page of the run, from what was saved of it."""
    from codeopt.core.run_index import read_run
    from codeopt.report.html.run_page import run_page

    write_page(path, run_page(read_run(saved)))
