"""Examine this machine: its own share of false alarms, the sandbox's promises and costs, and what is missing.

Exit status 1 where a line says FAIL: a promise of the sandbox is broken, nothing isolates, the project's Python does
not work, or identical code was called faster more often than is stated. Each line that is no OK says what to do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli.command import command

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.engine.doctor import ExamRow, FalseAlarms

SECONDS = 30.0
"""Default of --seconds: with what else is examined the whole takes less than a minute."""

SHARES = {"programs": 1 / 3, "functions": 2 / 3}
"""Shares of that time: it takes longer to find out what a function is called with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    from codeopt.core.converters import duration
    from codeopt_sandbox.host import BACKENDS

    parser.add_argument(
        "project", nargs="?", type=Path, default=Path(), metavar="PROJECT",
        help="folder of the project whose Python is looked for (default: the current folder)",
    )  # fmt: skip
    parser.add_argument(
        "--sandbox", choices=["auto", *BACKENDS], default="auto", help="the backend to try (%(default)s)"
    )
    parser.add_argument("--python", metavar="PATH", help="the project's interpreter (default: found)")
    parser.add_argument(
        "--clock", choices=["auto", "cpu", "wall"], default="auto", help="clock of the comparisons (%(default)s)"
    )
    parser.add_argument(
        "--seconds", type=duration, default=SECONDS, metavar="TIME",
        help=f"time for comparing identical code, such as 2m: more of it tells smaller shares ({SECONDS:.0f}s)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


@command(7.4, flags_only=True, examples=("codeopt doctor", "codeopt doctor --seconds 5m --json"))
def run(arguments: argparse.Namespace) -> int:
    """Examine it: 0 when nothing failed, else 1. Raises UsageError."""
    from codeopt.core.console import Console
    from codeopt.core.errors import UsageError
    from codeopt.engine.doctor import Health

    if not arguments.project.exists():
        raise UsageError(f"there is no {arguments.project}")
    findings: list[ExamRow] = []
    alarms: list[FalseAlarms] = []
    with Console(quiet=arguments.quiet) as console:

        def tell(found: ExamRow) -> None:
            findings.append(found)
            if not arguments.json:
                print(found, flush=True)

        _examine(arguments, console, tell, alarms)
    failed = any(each.state is Health.FAIL for each in findings)
    if arguments.json:
        rows = {"findings": [each.to_json() for each in findings], "false_alarms": [each.to_json() for each in alarms]}
        print(json.dumps({"schema": "codeopt.doctor/1", "healthy": not failed, **rows}))
    return int(failed)


def _examine(
    arguments: argparse.Namespace, console: Console, tell: Callable[[ExamRow], None], alarms: list[FalseAlarms]
) -> None:
    """Tell each finding when it is known."""
    from codeopt.core.errors import CodeoptError
    from codeopt.engine.doctor import ExamRow, Health, backends, examine_machine, promises
    from codeopt_sandbox import SandboxError

    for found in examine_machine(arguments.python, arguments.project):
        tell(found)
    console.progress("opening each backend")
    for found in backends():
        tell(found)
    try:
        console.progress("trying each promise of the sandbox")
        for found in promises(arguments.sandbox):
            tell(found)
        for kind in SHARES:
            alarms.append(_false_alarms(kind, arguments, console))
            tell(alarms[-1].finding())
    except (CodeoptError, SandboxError) as error:
        remedy = "nothing can be judged before that is mended; another backend is named by --sandbox"
        tell(ExamRow("sandbox", Health.FAIL, str(error), remedy))


def _false_alarms(kind: str, arguments: argparse.Namespace, console: Console) -> FalseAlarms:
    """Compare identical code under codeopt's own Python: nothing of the project is run."""
    from codeopt.core.options import FuzzPolicy, ImproveOptions
    from codeopt.engine.doctor import false_alarms
    from codeopt.engine.open_session import open_session

    options = ImproveOptions(
        sandbox=arguments.sandbox, clock=arguments.clock, python=sys.executable, no_cache=True, no_tests=True,
        changed_inputs=FuzzPolicy.OFF, max_examples=10,
    )  # fmt: skip
    return false_alarms(kind, options, open_session(), arguments.seconds * SHARES[kind], console.progress)
