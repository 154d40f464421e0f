"""Run a program in the sandbox, or test the sandbox."""

from __future__ import annotations

import argparse

from codeopt.cli.command import command
from codeopt.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags, which are the sandbox's own."""
    from codeopt_sandbox.__main__ import add_arguments as add_own

    add_own(parser)


@command(
    examples=(
        "codeopt sandbox slow.py --cases cases        each case: its verdict, times and memory",
        "codeopt sandbox check                        what the sandbox promises, tried on this machine",
    ),
    others_files=True,
    flags_only=True,
)
def run(arguments: argparse.Namespace) -> int:
    """Run it: 0 when all cases are accepted, else 1. Raises UsageError, SandboxError."""
    from codeopt_sandbox.__main__ import WrongUsage, run_command

    try:
        return run_command(arguments)
    except WrongUsage as error:
        raise UsageError(str(error)) from error
