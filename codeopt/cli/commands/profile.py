"""Show where the time goes.

With --run: where the time of a project's own command goes, function by function.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from codeopt.cli import flags, profile_run
from codeopt.cli.command import command
from codeopt.cli.output import require_writable, write_page
from codeopt.core.errors import UsageError

if TYPE_CHECKING:
    from codeopt_sandbox.profile import Profile

WARM = 0.05
"""Least share of the time of a line marked `>`."""
HOT = 0.25
"""Least share of the time of a line marked `>>`."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("target", nargs="?", metavar="TARGET", help="slow.py, mod.py::func, or with --run a folder")
    parser.add_argument("-m", dest="short_m", metavar="MODULE", help="the module to run, as `python -m` does")
    parser.add_argument(
        "--lines", type=flags.count, default=15, metavar="N", help="maximum number of slow lines [default: %(default)d]"
    )
    flags.add_flags(parser, "profile")


@command(
    examples=("codeopt profile slow.py", "codeopt profile slow.py --html page.html -- --top 10 data.csv"),
    first=("--cases", "--stdin", "--lines", "--html", "--json"),
    often=("--run", "--calls", "--python", "--sandbox", "--export"),
    takes_arguments=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Profile; print the source with its hot lines marked, or one JSON object."""
    if arguments.run:
        return profile_run.profile_run(arguments)
    if arguments.before:
        raise UsageError("--before compares the profiles of a command", hint="give --run COMMAND")
    if arguments.export:
        raise UsageError("--export writes the stacks of a command", hint="give --run COMMAND")
    from codeopt.core.console import Console
    from codeopt.engine.open_session import open_session
    from codeopt.report.answers import profile_answer
    from codeopt.report.html.profile_page import profile_page
    from codeopt.report.result import python_line
    from codeopt.workloads import WorkloadRequest, kind_of

    target, options = flags.target_of(arguments), flags.options_of(arguments)
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
        print(table(profile, program.source, arguments.lines, python_line(interpreter)))
    return 0


def table(profile: Profile, source: str, rows: int, python: str) -> str:
    """The source with shares and hits at the hot lines, then functions, split and memory."""
    from codeopt.core.sanitize import printable
    from codeopt.core.words import mib

    by_line = {line.line: line for line in profile.lines[:rows]}
    out = [f"case {profile.case}", python, "   share        hits   time/hit", ""]
    for number, text in enumerate(source.splitlines(), 1):
        line = by_line.get(number)
        figures = ""
        if line is not None:
            each = line.seconds / line.hits * 1e6 if line.hits else 0.0
            figures = f"{line.share:>7.1%} {line.hits:>11,} {each:>7.2f} us"
        mark = ">>" if line and line.share >= HOT else "> " if line and line.share >= WARM else "  "
        out.append(f" {figures:<31} {mark} {number:>4} {printable(text)}".rstrip())
    out += ["", *(f" {f.share:>7.1%} {f.count:>11} calls  {f.name} (line {f.line})" for f in profile.functions[:8])]
    if profile.python_share is not None:
        shares = (profile.python_share, profile.native_share or 0.0, profile.system_share or 0.0)
        out.append(" Python {:.0%}, native {:.0%}, system {:.0%}".format(*shares))
    if profile.peak_mib is not None:
        out.append(
            f" memory: {mib(profile.peak_mib)} at the peak"
            + (f", {profile.copy_mib_s:.0f} MiB/s copied" if profile.copy_mib_s else "")
        )
    out += [f"   line {m.line}: {mib(m.peak_mib)} at the peak, {m.growth_mib:+.1f} MiB" for m in profile.memory[:5]]
    return "\n".join([*out, *(f" note: {note}" for note in profile.notes)])
