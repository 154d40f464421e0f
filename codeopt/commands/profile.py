"""Profile a program on its longest case: hot lines with their source, Python/native split, memory."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.commands._sandbox import add_case_arguments, add_sandbox_arguments, case_request, count, open_from
from codeopt.functions.flags import add_function_arguments

if TYPE_CHECKING:
    from sandbox.profile import Profile

ORDER = 3
WARM, HOT = 0.05, 0.25  # shares from which a line is marked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("target", type=Path, metavar="TARGET", help="program that reads stdin, or FILE::FUNCTION")
    add_case_arguments(parser)
    add_function_arguments(parser)
    parser.add_argument("--lines", type=count, default=15, metavar="N", help="hot lines in the table (%(default)d)")
    add_sandbox_arguments(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    """Profile; print the source with its hot lines marked, or one JSON object."""
    from codeopt.cases import collect
    from codeopt.console import Console
    from codeopt.measurement import take_profile
    from codeopt.program import read_program

    if "::" in str(arguments.target):
        from codeopt.functions.profiling import profile_target

        with Console(quiet=arguments.quiet) as console:
            profile, source = profile_target(arguments, console, open_from)
        print(json.dumps(as_json(profile)) if arguments.json else table(profile, source, arguments.lines))
        return 0
    program = read_program(arguments.target)
    with (
        Console(quiet=arguments.quiet) as console,
        open_from(arguments, own_code_only=True, notify=console.warn) as sandbox,
    ):
        console.progress("collecting cases")
        cases = collect(case_request(arguments, program.path, sandbox))
        console.progress("finding the longest case")
        longest = max(cases, key=lambda case: sandbox.run(program.source, case.stdin).wall_s)
        console.progress(f"profiling case {longest.name}")
        profile = take_profile(sandbox, program.source, longest)
    print(json.dumps(as_json(profile)) if arguments.json else table(profile, program.source, arguments.lines))
    return 0


def as_json(profile: Profile) -> dict[str, Any]:
    """The object that --json prints."""
    return {
        "schema": "codeopt.profile/1",
        "case": profile.case,
        "lines": [asdict(line) for line in profile.lines],
        "functions": [asdict(function) for function in profile.functions],
        "split": {"python": profile.python_share, "native": profile.native_share, "system": profile.system_share},
        "memory": {
            "peak_mib": profile.peak_mib,
            "copy_mib_s": profile.copy_mib_s,
            "lines": [asdict(line) for line in profile.memory],
        },
        "notes": list(profile.notes),
    }


def table(profile: Profile, source: str, rows: int) -> str:
    """The source with shares and hits at the hot lines, then functions, split and memory."""
    from codeopt.escaping import printable

    by_line = {line.line: line for line in profile.lines[:rows]}
    out = [f"case {profile.case}", "   share        hits   time/hit", ""]
    for number, text in enumerate(source.splitlines(), 1):
        line = by_line.get(number)
        figures = ""
        if line is not None:
            each = line.seconds / line.hits * 1e6 if line.hits else 0.0
            figures = f"{line.share:>7.1%} {line.hits:>11,} {each:>7.2f} us"
        mark = ">>" if line and line.share >= HOT else "> " if line and line.share >= WARM else "  "
        out.append(f" {figures:<31} {mark} {number:>4} {printable(text)}".rstrip())
    out += ["", *(f" {f.share:>7.1%} {f.hits:>11,} calls  {f.name} (line {f.line})" for f in profile.functions[:8])]
    if profile.python_share is not None:
        shares = (profile.python_share, profile.native_share or 0.0, profile.system_share or 0.0)
        out.append(" Python {:.0%}, native {:.0%}, system {:.0%}".format(*shares))
    if profile.peak_mib is not None:
        out.append(
            f" memory: {profile.peak_mib:.1f} MiB at the peak"
            + (f", {profile.copy_mib_s:.0f} MiB/s copied" if profile.copy_mib_s else "")
        )
    out += [f"   line {m.line}: {m.peak_mib:.1f} MiB at the peak, {m.growth_mib:+.1f} MiB" for m in profile.memory[:5]]
    return "\n".join([*out, *(f" note: {note}" for note in profile.notes)])
