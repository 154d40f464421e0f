"""List slow functions that the built-in rules can make faster.

Exit status 1 when there is something to gain, verified as by `codeopt improve`; 0 when there is not; 6 where a limit
left some untried; 5 where nothing could be looked at: no test runs any of them and none can be judged. --exit-zero
makes 1 and 5 0.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import BUDGET_SPENT, INTERRUPTED, ProgramError
from codeopt.engine.open_session import RULES

if TYPE_CHECKING:
    from codeopt.review.check import Listed
    from codeopt.review.work import Tried

GAIN = 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help="files and folders [default: this folder]")
    flags.add_flags(parser, "check")


@command(
    examples=(
        "codeopt check src/",
        "codeopt check --min-share 10% --exit-zero",
        "codeopt check src/ --profile production.speedscope.json",
    ),
    first=("--min-share", "--max-functions", "--profile", "--select", "--json"),
    often=("--exclude", "--tests", "--python", "--max-seconds", "--sandbox", "--exit-zero"),
    verdicts=(1, ProgramError.exit_status),
    others_files=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Check everything below the paths. Raises UsageError, NoSandbox."""
    from codeopt.cli import command_flags
    from codeopt.cli.command_flags import go_on_with, report_blind
    from codeopt.cli.output import deliver, tell
    from codeopt.core.console import Console
    from codeopt.report.stacks import read_profile
    from codeopt.review.check import CheckedPart, check, check_answer, listed
    from codeopt.review.findings.known import open_findings
    from codeopt.review.ranking import rank_by_profile
    from codeopt.review.reporters.json import dump
    from codeopt.review.work import ReviewBudget

    paths = command_flags.below(arguments.paths or [Path.cwd()])
    part = CheckedPart(tuple(paths), arguments.exclude, arguments.min_share)
    options = flags.options_of(arguments, model=RULES)
    limits = ReviewBudget.of(options, arguments.max_functions, arguments.began)
    content = listed(part, limits)
    targets, checked = content.targets, None
    profiled = rank_by_profile(targets, read_profile(arguments.profile)) if arguments.profile else None
    with Console(quiet=arguments.quiet, verbose=arguments.verbose) as console:
        if profiled:
            console.print(f"profile    {profiled.words}")
        if targets:
            options, session = command_flags.find_python(options, console, paths[0])
            session = command_flags.with_cache(session, arguments.trust_store)
            known = open_findings(options, session.interpreter, session.open_cache, "check", console)
            checked = check(part, targets, options, limits, session, known, profiled)
        found = content.completed(checked)
        if arguments.json:
            deliver(dump(check_answer(found, profiled.name if profiled else "").to_json()) + "\n", None)
        else:
            tell(table(found, "profile" if profiled else "test time", next_steps(arguments, found, content)))
        if found.stop_reason:
            console.warn(found.stop_reason)
        if found.left:
            console.print(go_on_with(found.left))
        if found.failure == INTERRUPTED:
            return INTERRUPTED
        blind = found.not_checked_reason and report_blind(found.not_checked_reason, console if arguments.json else None)
    if found.improved:
        return GAIN
    return BUDGET_SPENT if found.left else blind or 0


def table(found: Tried, ranked_by: str = "test time", following: Sequence[str] = ()) -> str:
    """Format the slow functions with the gain of the rules, the number of others, what could not be run, the next step.

    ranked_by: see function_lines. following: lines of the next step.
    """
    from codeopt.cli.comparison_table import function_lines  # loads the engine, which --help does not need
    from codeopt.core.sanitize import log_line
    from codeopt.core.words import counted

    if found.not_checked_reason:
        return "\n".join([log_line(found.not_checked_reason), *following, ""])
    if not found.rows:
        return "\n".join(["No function is there to check.", *following, ""])
    summary = f"{found.improved} of {counted(len(found.rows), 'function')} can be faster by the built-in rules"
    missing = [log_line(diagnostic.words) for diagnostic in found.diagnostics]
    return "\n".join([summary, *function_lines(found.rows, ranked_by), *missing, *following, ""])


def next_steps(arguments: argparse.Namespace, found: Tried, content: Listed) -> list[str]:
    """Return the next step: `improve` of the same, of a function that no test runs, or of a script."""
    from codeopt.core.next_step import other_command
    from codeopt.review.suggestion import FunctionPlace

    model = () if found.improved else ("--model", "NAME")
    if any(row.judged for row in found.rows):
        names = [str(path) for path in arguments.paths] or ["."]
        return [f"Next: {other_command(arguments.asked, 'improve', each, *model)}" for each in names]
    rows = found.rows[:1] if content.targets else ()
    slowest = [FunctionPlace(os.path.relpath(row.target.file), row.function).name for row in rows]
    first = slowest or [os.path.relpath(path) for path in content.scripts[:1]]
    return [f"Next: {other_command(arguments.asked, 'improve', each)}" for each in first]
