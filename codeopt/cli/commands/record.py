"""Record real calls of a function while your own command runs: codeopt record FILE::FUNCTION -- python script.py."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codeopt.cli import flags as _flags
from codeopt.cli.command import command
from codeopt.core.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The target, then the command behind `--`."""
    _flags.add_flags(parser, "record")
    parser.add_argument("target", metavar="FILE::FUNCTION", help="whose calls are to be written down")
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="python script.py, pytest tests, ..."
    )


@command(6, examples=("codeopt record mod.py::f -- python script.py",), takes_arguments=True)
def run(arguments: argparse.Namespace) -> int:
    """Run the command, not isolated; its own exit status does not matter as long as calls were seen."""
    from codeopt.core.interpreter import find_interpreter
    from codeopt.core.target import as_target
    from codeopt.workloads.function.recording.instrumented_run import UsersCommand
    from codeopt.workloads.function.recording.recording import record, said_of
    from codeopt.workloads.source.functions import read_function

    command = _command(arguments)
    target = as_target(arguments.target)
    if not target.name:
        raise UsageError(f"{arguments.target} names no function (FILE::FUNCTION)")
    if not command:
        raise UsageError("say what to run: codeopt record FILE::FUNCTION -- python script.py")
    python = find_interpreter(arguments.python, Path()).path if arguments.python else None
    found = record(read_function(target.path, target.name), UsersCommand(command, python))
    for line in said_of(found, target):
        print(line, file=sys.stderr)
    return 0


def _command(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The words after `--`, before which a flag of ours may stand also behind the target; without `--` all that follow
    the target. Raises UsageError."""
    command: tuple[str, ...] | None = getattr(arguments, "args", None)
    if command is None:
        return tuple(arguments.words)
    flags = argparse.ArgumentParser(exit_on_error=False, add_help=False, allow_abbrev=False)
    _flags.add_flags(flags, "record")
    try:
        _, unknown = flags.parse_known_args(arguments.words, arguments)
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from error
    if unknown:
        raise UsageError(f"{unknown[0]} is no flag of codeopt record; the command to run follows --")
    return command
