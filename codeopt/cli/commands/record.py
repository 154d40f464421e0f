"""Record real calls of a function."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from codeopt.cli import flags as _flags
from codeopt.cli.command import command
from codeopt.core.errors import UsageError
from codeopt.core.next_step import other_command, parted
from codeopt.core.program import Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The target, then the command behind `--`."""
    _flags.add_flags(parser, "record")
    parser.add_argument("target", metavar="FILE::FUNCTION", help="function whose calls to record")
    told = "command to run, not isolated [default: the project's tests, in the sandbox]"
    parser.add_argument("words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help=told)


@command(examples=("codeopt record mod.py::f -- python script.py", "codeopt record mod.py::f"), takes_arguments=True)
def run(arguments: argparse.Namespace) -> int:
    """Run the command, not isolated, or the tests, isolated.

    The exit status of the command does not matter if calls were seen.
    """
    from codeopt.core.console import Console
    from codeopt.core.isolation import for_own_code
    from codeopt.core.program import as_target
    from codeopt.core.sanitize import log_line
    from codeopt.core.screen import open_terminal, write_lines
    from codeopt.engine.open_session import open_session
    from codeopt.workloads.function.corpus.sources import record_tests

    command = _command(arguments)
    target = as_target(arguments.target)
    if not target.name:
        raise UsageError(f"{arguments.target} names no function", hint="write FILE::FUNCTION")
    if command is None:
        with Console() as console:
            options, session = for_own_code(_flags.options_of(arguments)), open_session(console)
            lines = record_tests(target, options, session).lines(target)
    else:
        lines = _of_command(arguments, target, command)
    following = f"Next: {other_command(parted(arguments.asked)[0], 'improve', arguments.target)}"
    write_lines("\n".join(map(log_line, [*lines, following])), open_terminal(sys.stderr))
    return 0


def _of_command(arguments: argparse.Namespace, target: Target, command: tuple[str, ...]) -> list[str]:
    from codeopt.core.interpreter import find_interpreter
    from codeopt.workloads.function.recording import UsersCommand, record, said_of
    from codeopt.workloads.source.functions import read_function

    if not command:
        raise UsageError("there is no command to run", hint="codeopt record FILE::FUNCTION -- python script.py")
    if arguments.tests:
        raise UsageError("--tests and a command after -- exclude each other", hint="leave one out")
    python = find_interpreter(arguments.python, Path()).path if arguments.python else None
    found = record(read_function(target.path, target.name), UsersCommand(command, python))
    return said_of(found, target)


def _command(arguments: argparse.Namespace) -> tuple[str, ...] | None:
    """Return the words after `--`, or without `--` all that follow the target. None without either.

    A flag of codeopt may come before `--`, also after the target. Raises UsageError.
    """
    command: tuple[str, ...] | None = getattr(arguments, "args", None)
    if command is None and arguments.words and not arguments.words[0].startswith("-"):
        return tuple(arguments.words)
    flags = argparse.ArgumentParser(exit_on_error=False, add_help=False, allow_abbrev=False)
    _flags.add_flags(flags, "record")
    try:
        _, unknown = flags.parse_known_args(arguments.words, arguments)
    except argparse.ArgumentError as error:
        raise UsageError(str(error)) from error
    if unknown:
        raise UsageError(f"unknown option {unknown[0]}", hint="the command to run follows --")
    return command
