"""Show a run: each change that was tried, its verdict, the cost."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import require_writable, write_diff, write_page
from codeopt.cli.runs import add_run_arguments, describe
from codeopt.core.errors import UsageError

if TYPE_CHECKING:
    from codeopt.core.run_index import StoredRun

LONGEST = 2000
"""Characters of a line."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    flags.add_flags(parser, "show")


@command(
    examples=(
        "codeopt show                  the newest run",
        "codeopt show slow --html page.html",
        "codeopt show --diff | git apply",
    )
)
def run(arguments: argparse.Namespace) -> int:
    """Show one run. Raises UsageError without a run, and for the diff of one that has accepted nothing."""
    from codeopt.cli.runs import run_of
    from codeopt.core.run_index import changes_of_run, require_ended
    from codeopt.core.sanitize import harmless, log_line
    from codeopt.core.screen import COLUMNS, wrapped
    from codeopt.report.html.run_page import run_page
    from codeopt.report.result import diff_of

    if arguments.diff:
        write_diff(diff_of(changes_of_run(run_of(arguments))))
        return 0
    kept = run_of(arguments)
    if arguments.html:
        require_writable(arguments.html)
        write_page(arguments.html, whole(run_page(kept), kept))
    if arguments.json:
        require_ended(kept)
        print(json.dumps(kept.result))
    else:
        lines = (log_line(line, LONGEST) for line in whole(describe(kept), kept))
        print("\n".join(harmless(row) for line in lines for row in wrapped(line, COLUMNS)))
    return 0


def whole(pieces: Iterable[str], kept: StoredRun) -> list[str]:
    """All of what is made of a run. Raises UsageError where its result is not of the shape that it must have."""
    try:
        return list(pieces)
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:  # changed by hand
        raise UsageError(f"the run in {kept.listing.path} cannot be shown: {error!r} in its result") from error
