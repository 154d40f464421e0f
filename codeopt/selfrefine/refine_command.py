"""Refine a text with a model.

The result goes to standard output, everything else to standard error. A language model is needed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import INTERRUPTED, UsageError
from codeopt.core.sanitize import encodable

if TYPE_CHECKING:
    from codeopt.core.program import Program, Target


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", help="the text itself, a file that holds it, or - for standard input")
    flags.add_flags(parser, "refine")


@command(
    examples=("codeopt refine -t acronym 'Sequence to Sequence' --model gpt-5",),
    first=("--task", "--model", "--max-rounds", "--output", "--json"),
    often=("--max-cost", "--max-seconds", "--resume", "--quiet"),
)
def run(arguments: argparse.Namespace) -> int:
    """Refine one text."""
    from codeopt.cli.output import deliver
    from codeopt.core.console import Console
    from codeopt.core.program import write_whole
    from codeopt.core.step_error import exit_status_of
    from codeopt.engine.improve import improve
    from codeopt.engine.open_session import open_session
    from codeopt.report.brief import below_verdict, verdict_lines
    from codeopt.report.result import End

    target, program = _input(arguments.input)
    with Console(quiet=arguments.quiet) as console:
        options = flags.options_of(arguments, workload="text")
        result = improve(target, options, open_session(console), program=program).require_drafts()
        found = result.to_json()
        if arguments.output:
            write_whole(arguments.output, result.source + "\n")
        if arguments.json:
            rounds = [_without_speed(each) for each in found["rounds"]]
            texts = {"input": program.source, "text": result.source}
            print(json.dumps({**_without_speed(found), "rounds": rounds, **texts}))
        elif not arguments.output:
            deliver(f"{result.source}\n", None, what="the text")
        sys.stdout.flush()
        console.print_all([*verdict_lines(found), *below_verdict(found, verbose=True)])
    if result.end is End.INTERRUPTED:
        return INTERRUPTED
    return exit_status_of(result.failure) if result.failure else 0


def _without_speed(found: dict[str, Any]) -> dict[str, Any]:
    """An answer, or one of its rounds, without what tells of speed: a text has a score and no speed.

    The verdict of a program that fails stays.
    """
    of_speed = ["inconclusive_about", "speedup", *["verdict"] * (found["verdict"] == "same")]
    return {name: value for name, value in found.items() if name not in of_speed}


def _input(given: str) -> tuple[Target, Program]:
    """Return the input of the task. Raises UsageError."""
    from codeopt.core.program import Target
    from codeopt.selfrefine.text_workload import as_input, read

    if given == "-":
        target = Target(Path("stdin.txt"))
        return target, as_input(_text(sys.stdin.read()), target)
    path = Path(given)
    try:
        is_file = path.is_file()
    except OSError:  # longer than a name can be
        is_file = False
    if is_file:
        return Target(path), read(Target(path))
    if path.suffix in {".txt", ".md"} and " " not in given:
        raise UsageError(f"cannot read {given}: there is no such file")
    target = Target(Path("input.txt"))
    return target, as_input(_text(given), target)


def _text(given: str) -> str:
    """Return the text. Raises UsageError if it was not UTF-8."""
    if encodable(given) != given:
        raise UsageError("the input is not UTF-8 text")
    return given
