"""Record real calls of a function while your own command runs: codeopt record FILE::FUNCTION -- python script.py."""

from __future__ import annotations

import argparse
import sys

from codeopt.errors import UsageError

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
    from codeopt.workloads.function.recording import record
    from codeopt.workloads.function.recording_words import said_of

    target = as_target(arguments.target)
    if not target.name:
        raise UsageError(f"{arguments.target} names no function (FILE::FUNCTION)")
    command = arguments.words[1:] if arguments.words[:1] == ["--"] else arguments.words
    if not command:
        raise UsageError("say what to run: codeopt record FILE::FUNCTION -- python script.py")
    found = record(read_function(target.path, target.name), command)
    for line in said_of(found, target):
        print(line, file=sys.stderr)
    return 0
