"""Put the result of a saved run in place, if the file still is what the run began with."""

from __future__ import annotations

import argparse

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.cli.runs import add_run_arguments, run_of


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    add_run_arguments(parser)
    flags.add_flags(parser, "apply")


@command(6.4, examples=("codeopt apply                 the newest run's result",))
def run(arguments: argparse.Namespace) -> int:
    """Write the file in one step; FILE.orig is kept unless git holds it. Raises UsageError."""
    from codeopt.core.program import replace_program, wrote
    from codeopt.core.run_index import program_to_change, require_best
    from codeopt.core.sanitize import inline

    kept = run_of(arguments)
    program = program_to_change(kept)
    print(inline(wrote(program, replace_program(program, require_best(kept).text)), 2000))
    return 0
