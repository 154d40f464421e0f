"""Record real calls of a function while your own command runs: codeopt record FILE::FUNCTION -- python script.py."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from codeopt.errors import ProgramError, UsageError
from codeopt.escaping import inline

if TYPE_CHECKING:
    from codeopt.target import Target
    from codeopt.workloads.function.recording import Recording

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


def said_of(found: Recording, target: Target) -> list[str]:
    """What a recording gave, in lines. Raises ProgramError when the function was never called."""
    ended = f" (the command ended with status {found.status})" if found.status else ""
    command = inline(" ".join(found.program), 200)
    if not found.called:
        raise ProgramError(f"{command} never called {target.name}: {_why_never(found, target)}{ended}")
    known = f", {found.kept} with those that were known" if found.kept > found.new else ""
    lines = [f"ran {command}", f"{found.new} new calls of {target.name} in {found.path}{known}{ended}"]
    if found.lost:
        lines.append(f"some cannot be written down ({inline('; '.join(found.lost[:3]), 200)})")
    return lines


def _why_never(found: Recording, target: Target) -> str:
    if not found.processes:
        return "it started no Python (3.8 or later) that could be watched; -I, -E and -S keep the recorder out"
    if not found.loaded:
        several = "none of its Python processes" if found.processes > 1 else "its Python process never"
        return f"{several} loaded {target.path} (an installed copy of it is another file)"
    return f"{target.path} was loaded, the function was not called"
