"""Check this machine.

Exit status 1 where a line says FAIL: a promise of the sandbox is broken, nothing isolates, the project's Python does
not work, or identical code was called faster more often than is stated. Each line that is no OK says what to do.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli.command import command
from codeopt.cli.output import tell

if TYPE_CHECKING:
    from codeopt.core.console import Console
    from codeopt.engine.doctor import ExamRow, FalseAlarms

SECONDS = 30.0
"""Default of --seconds: with what else is examined the whole takes less than a minute."""

SHARES = {"programs": 1 / 3, "functions": 2 / 3}
"""Shares of that time: it takes longer to find out what a function is called with."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from codeopt.core.converters import duration
    from codeopt_sandbox.host import BACKENDS

    parser.add_argument(
        "project", nargs="?", type=Path, default=Path(), metavar="PROJECT",
        help="folder of the project [default: the current folder]",
    )  # fmt: skip
    parser.add_argument(
        "--sandbox", choices=["auto", *BACKENDS], default="auto", help="backend to check [default: %(default)s]"
    )
    parser.add_argument("--python", metavar="PATH", help="Python of the project [default: detected]")
    parser.add_argument(
        "--metric", choices=["auto", "cpu", "wall"], default="auto", help="what is measured [default: %(default)s]"
    )
    parser.add_argument(
        "--seconds", type=duration, default=SECONDS, metavar="TIME",
        help=f"time for comparing identical code, such as 2m [default: {SECONDS:.0f}s]",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="print the result as one JSON object")
    parser.add_argument("-v", "--verbose", action="store_true", help="show what each backend costs")
    parser.add_argument("-q", "--quiet", action="store_true", help="show errors only")


@command(flags_only=True, examples=("codeopt doctor", "codeopt doctor --seconds 5m --json"))
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
        _examine(arguments, console, findings.append, alarms)
    failed = [finding for finding in findings if finding.state is Health.FAIL]
    if arguments.json:
        rows = {
            "checks": [each.to_json() for each in findings],
            "false_positives": [alarm.to_json() for alarm in alarms],
        }
        print(json.dumps({"schema": "codeopt.doctor/1", "ok": not failed, **rows}))
    else:
        tell(table(findings, verbose=arguments.verbose))
    return int(bool(failed))


def table(findings: Sequence[ExamRow], *, verbose: bool = False) -> str:
    """Format the rows, failures and notes first, and the number of these. verbose: costs of the backends also."""
    from codeopt.core.words import counted
    from codeopt.engine.doctor import Health

    by_state = {state: [finding for finding in findings if finding.state is state] for state in reversed(Health)}
    failed, notes = counted(len(by_state[Health.FAIL]), "check"), counted(len(by_state[Health.NOTE]), "note")
    ready = f"Not ready: {failed} failed, {notes}." if by_state[Health.FAIL] else f"Ready. {notes}, nothing failed."
    shown = [row for rows in by_state.values() for row in rows if verbose or not row.is_cost]
    return "\n".join([*map(str, shown), ready, ""])


def _examine(
    arguments: argparse.Namespace, console: Console, add: Callable[[ExamRow], None], alarms: list[FalseAlarms]
) -> None:
    from codeopt.core.errors import CodeoptError
    from codeopt.core.step_error import error_in_words
    from codeopt.engine.doctor import ExamRow, Health, backends, examine_machine, promises
    from codeopt_sandbox import SandboxError

    for found in examine_machine(arguments.python, arguments.project):
        add(found)
    console.progress("opening each backend")
    for found in backends():
        add(found)
    try:
        console.progress("checking the guarantees of the sandbox")
        for found in promises(arguments.sandbox):
            add(found)
        for kind in SHARES:
            alarms.append(_false_alarms(kind, arguments, console))
            add(alarms[-1].finding())
    except (CodeoptError, SandboxError) as error:
        add(ExamRow("sandbox", Health.FAIL, error_in_words(error), "--sandbox NAME uses another backend"))


def _false_alarms(kind: str, arguments: argparse.Namespace, console: Console) -> FalseAlarms:
    """Compare identical code under codeopt's own Python. No code of the project runs."""
    from codeopt.core.options import FuzzPolicy, ImproveOptions
    from codeopt.engine.doctor import false_alarms
    from codeopt.engine.open_session import open_session

    given = ImproveOptions(sandbox=arguments.sandbox, metric=arguments.metric, python=sys.executable)
    options = replace(given, no_cache=True, no_tests=True, mutated_inputs=FuzzPolicy.OFF, max_examples=10)
    return false_alarms(kind, options, open_session(), arguments.seconds * SHARES[kind], console.progress)
