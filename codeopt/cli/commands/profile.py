"""Show where the time goes.

With --run: where the time of a project's own command goes, function by function.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import require_writable, tell, write_page
from codeopt.core.errors import UsageError
from codeopt.core.next_step import other_command
from codeopt.core.sanitize import inline, log_line, printable
from codeopt.core.screen import COLUMNS
from codeopt.core.words import mib, took
from codeopt.report.stacks import write_collapsed, write_speedscope

if TYPE_CHECKING:
    from codeopt_sandbox.profile import HotLine, Profile


SHOWN = 0.005
"""Least share of the time of a line or function that is shown without -v."""
WARM = 0.05
"""Least share of the time of a line marked `>`."""
HOT = 0.25
"""Least share of the time of a line marked `>>`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", nargs="?", metavar="TARGET", help="slow.py, mod.py::func, or with --run a folder")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="the module to run, as `python -m` does")
    told = "maximum number of slow lines [default: %(default)d]"
    parser.add_argument("--lines", type=flags.count, default=15, metavar="N", help=told)
    flags.add_flags(parser, "profile")


@command(
    examples=("codeopt profile slow.py", "codeopt profile slow.py --html page.html -- --top 10 data.csv"),
    first=("--cases", "--stdin", "--lines", "--html", "--json"),
    often=("--run", "--calls", "--python", "--sandbox", "--export", "--before"),
    takes_arguments=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Profile, and print the slow lines and functions, or one JSON object."""
    if arguments.run:
        return profile_run(arguments)
    if arguments.before:
        raise UsageError("--before compares the profiles of a command", hint="give --run COMMAND")
    if arguments.export:
        raise UsageError("--export writes the stacks of a command", hint="give --run COMMAND")
    from codeopt.core.console import Console
    from codeopt.core.isolation import for_own_code
    from codeopt.engine.open_session import open_session
    from codeopt.report.answers import profile_answer
    from codeopt.report.html.profile_page import profile_page
    from codeopt.report.result import python_line
    from codeopt.workloads import WorkloadRequest, kind_of

    target, options = flags.target_of(arguments), for_own_code(flags.options_of(arguments))
    if arguments.html:
        require_writable(arguments.html)
    kind = kind_of(target, options)
    program = kind.read(target)
    console = Console(quiet=arguments.quiet, verbose=arguments.verbose)
    session = open_session(console)
    options, interpreter = session.find_interpreter(options, target.path)
    with console, kind.open_workload(WorkloadRequest(target, program, options, session)) as opened:
        profile = opened.profile()
    if arguments.html:
        write_page(arguments.html, profile_page(str(target), profile, program.source, python_line(interpreter)))
    if arguments.json:
        print(json.dumps(profile_answer(profile, interpreter).to_json()))
    else:
        around = getattr(program, "around", None)
        name = around.line_name if around else str
        parts = [log_line(f"{target}, case {profile.case}")]
        parts += [python_line(interpreter)] if arguments.verbose else []
        parts += [profile.waits, ""] if profile.waits else [""]
        parts += slow_lines(profile, arguments.lines, source=program.source if arguments.verbose else "", name=name)
        parts += summary(profile, name)
        if left_out := ", ".join(getattr(program, "left_out", ())):
            parts.append(f"Note: left out, as only Jupyter runs it: {left_out}")
        if not profile.waits:  # where it waits, a faster program takes as long
            parts.append(f"Next: {other_command(arguments.asked, 'improve', str(target))}")
        tell("\n".join([*parts, ""]))
    return 0


def slow_lines(profile: Profile, rows: int, *, source: str, name: Callable[[int], str] = str) -> Iterator[str]:
    """Format the slow lines, the slowest first. With `source` all of its lines, in their order.

    name: names a line for the user.
    """
    shown = [line for line in profile.lines[:rows] if source or line.share >= SHOWN]
    yield "   self       calls  time a call       line"
    if not source:
        found = (_row(line, name(line.line), inline(line.text.strip())) for line in shown)
        yield from (row if len(row) <= COLUMNS else f"{row[: COLUMNS - 3]}..." for row in found)
        return
    by_line = {line.line: line for line in shown}
    yield from (_row(by_line.get(n), name(n), printable(text)) for n, text in enumerate(source.splitlines(), 1))


def _row(line: HotLine | None, name: str, text: str) -> str:
    figures, mark = "", "  "
    if line is not None:
        each = took(line.seconds / line.hits) if line.seconds and line.hits else ""
        figures = f"{line.share:>7.1%} {line.count:>11} {each:>12}"
        mark = ">>" if line.share >= HOT else "> " if line.share >= WARM else "  "
    return f"{figures:<32} {mark} {name:>5}  {text}".rstrip()


def summary(profile: Profile, name: Callable[[int], str] = str) -> Iterator[str]:
    """Format what is not of lines: functions, kinds of code, memory, and what the figures leave out."""
    functions = [function for function in profile.functions[:8] if function.share >= SHOWN]
    if functions:
        yield from ("", "Functions by self time")
    for each in functions:
        yield f"{each.share:>7.1%} {each.count:>11}  {each.name} ({_line(name(each.line))})"
    yield ""
    if profile.python_share is not None:
        shares = (profile.python_share, profile.native_share or 0.0, profile.system_share or 0.0)
        yield "Python {:.0%}, native code {:.0%}, system {:.0%}".format(*shares)
    if profile.peak_mib is not None:
        copied = f", {profile.copy_mib_s:,.0f} MiB/s copied" if profile.copy_mib_s else ""
        yield f"Memory: {mib(profile.peak_mib)} more at the peak than at the start{copied}"
    for line in profile.memory[:5]:
        yield f"  {_line(name(line.line))}: {mib(line.peak_mib)} at the peak, {line.growth_mib:+.1f} MiB"
    yield from (f"Note: {note}" for note in profile.notes)


def _line(name: str) -> str:
    return f"line {name}" if name.isdecimal() else name


# `codeopt profile [PATH] --run COMMAND`: where the time of a user's own command goes, across a whole project.

EXPORTS = {"speedscope": write_speedscope, "collapsed": write_collapsed}
"""Writers by the format that --export names."""


def profile_run(arguments: argparse.Namespace) -> int:
    """Profile it; print the tree, or one JSON object."""
    from codeopt.core.console import Console
    from codeopt.core.isolation import for_own_code
    from codeopt.core.program import write_whole
    from codeopt.engine.open_session import open_session
    from codeopt.report.result import python_line
    from codeopt.report.stacks import read_profile
    from codeopt.workloads.project.page import command_page, profile_text
    from codeopt.workloads.project.watch import profile_project

    _check(arguments, Path(arguments.target or "."))
    before = read_profile(arguments.before, "--before") if arguments.before else None
    options, folder = for_own_code(flags.options_of(arguments)), Path(arguments.target or ".")
    session = open_session(Console(quiet=arguments.quiet, verbose=arguments.verbose))
    with session.console:
        found = profile_project(folder, options, session, counts=arguments.verbose)
    if arguments.export:
        write_whole(Path(arguments.export[1]), EXPORTS[arguments.export[0]](found.profile.stacks(found.command)))
    if arguments.html:
        files, python = dict(found.project.files), python_line(found.interpreter)
        page = command_page(found.command, found.profile, files, python, found.project.notes, before)
        write_page(arguments.html, page)
    if arguments.json:
        print(json.dumps(found.answer().to_json()))
    else:
        python = f"{python_line(found.interpreter)}\n" if arguments.verbose else ""
        files = dict(found.project.files)
        shown = profile_text(found.command, found.profile, files, verbose=arguments.verbose, folder=str(folder))
        tell(f"{python}{shown}\n")
    return 0


def _check(arguments: argparse.Namespace, folder: Path) -> None:
    """Raise UsageError for invalid arguments."""
    if not folder.is_dir():
        raise UsageError(f"profile --run takes the folder of a project, but {folder} is not one")
    if arguments.html:
        require_writable(arguments.html)
    if arguments.before and not arguments.html:
        raise UsageError("--before needs a page", hint="give --html FILE")
    if arguments.export:
        require_writable(Path(arguments.export[1]))
    if arguments.export and arguments.export[0] not in EXPORTS:
        hint = f"give {', '.join(EXPORTS)}, and a FILE after it"
        raise UsageError(f"--export: unknown format {arguments.export[0]!r}", hint=hint)
