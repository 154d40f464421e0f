"""Print the change of a run as a diff."""

from __future__ import annotations

import argparse

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.output import write_diff
from codeopt.cli.runs import add_run_arguments, run_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_run_arguments(parser)
    flags.add_flags(parser, "diff")


@command(examples=("codeopt diff | git apply",))
def run(arguments: argparse.Namespace) -> int:
    """The diff. Raises UsageError when the run has accepted nothing."""
    from codeopt.core.run_index import changes_of_run
    from codeopt.report.result import diff_of

    write_diff(diff_of(changes_of_run(run_of(arguments))))
    return 0
