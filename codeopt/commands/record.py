"""Record real calls of a function while your own command runs: codeopt record FILE::FUNCTION -- python script.py."""

from __future__ import annotations

import argparse
import sys

from codeopt.errors import ProgramError, UsageError
from codeopt.escaping import inline

ORDER = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The target, then the command behind `--`."""
    parser.add_argument("target", metavar="FILE::FUNCTION", help="whose calls are to be written down")
    parser.add_argument(
        "words", nargs=argparse.REMAINDER, metavar="-- COMMAND", help="python script.py, pytest tests, ..."
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the command, not isolated; its own exit status does not matter as long as calls were seen."""
    from codeopt.target import as_target
    from codeopt.workloads.function.function_def import read_function
    from codeopt.workloads.function.recording import not_recorded, record

    target = as_target(arguments.target)
    if not target.name:
        raise UsageError(f"{arguments.target} names no function (FILE::FUNCTION)")
    command = arguments.words[1:] if arguments.words[:1] == ["--"] else arguments.words
    if not command:
        raise UsageError("say what to run: codeopt record FILE::FUNCTION -- python script.py")
    function = read_function(target.path, target.name)
    status, new, where = record(function, command)
    print(
        f"{new} new calls of {target.name} in {where}"
        + (f" (the command ended with status {status})" if status else ""),
        file=sys.stderr,
    )
    if lost := not_recorded(function):
        print(f"some cannot be written down ({inline('; '.join(lost[:3]), 200)})", file=sys.stderr)
    if not new and not where.is_file():
        raise ProgramError(f"{' '.join(command)} never called {target.name}")
    return 0
