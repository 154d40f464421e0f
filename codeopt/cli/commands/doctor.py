"""Check this machine.

Exit status 1 where a line says FAIL: nothing isolates, or the project's Python does not work. Each line that is no OK
says what to do.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from textwrap import fill

from codeopt.cli import flags
from codeopt.cli.command import command
from codeopt.core.errors import CodeoptError, UsageError
from codeopt.core.screen import COLUMNS
from codeopt.core.words import counted
from codeopt_sandbox.errors import SandboxError
from codeopt_sandbox.owner import temporary_folder

COUNTERS = Path("/proc/self/schedstat")
BUSY = 0.75
"""Runnable processes a core from which on the machine counts as busy."""
PROGRAM = "n = int(input())\ntotal = 0\nfor i in range(n):\n    total += i * i % 7\nprint(total)\n"
HOW_TO_ISOLATE = (
    "start a Docker engine that your user can reach, or let bubblewrap make user namespaces "
    "(kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0)"
)
SUBJECT_COLUMNS = 15
"""Width of the longest subject, columns."""


class Health(StrEnum):
    """Weight of a row, most first."""

    FAIL = "fail"
    NOTE = "note"
    """Something is missing that not everybody needs, or that holds less here."""
    OK = "ok"


@dataclass(frozen=True)
class Row:
    """One line of the examination."""

    subject: str
    state: Health
    message: str
    hint: str = ""
    """Advice; empty only where nothing is to be done."""

    def __str__(self) -> str:
        """`NOTE  machine         2 cores, load 5.2`, and below it the hint."""
        first, others = f"{self.state.upper():4}  {self.subject:<{SUBJECT_COLUMNS}}  ", " " * (SUBJECT_COLUMNS + 8)
        whole = partial(fill, width=COLUMNS, subsequent_indent=others, break_long_words=False, break_on_hyphens=False)
        rows, hint = whole(self.message, initial_indent=first), whole(self.hint, initial_indent=others)
        return f"{rows}\n{hint}" if self.hint else rows


def add_arguments(parser: argparse.ArgumentParser) -> None:
    told = "folder of the project [default: the current folder]"
    parser.add_argument("project", nargs="?", type=Path, default=Path(), metavar="PROJECT", help=told)
    flags.add_flags(parser, "doctor")


@command(flags_only=True, examples=("codeopt doctor", "codeopt doctor path/to/project --json"))
def run(arguments: argparse.Namespace) -> int:
    """Examine it: 0 when nothing failed, else 1. Raises UsageError."""
    from codeopt.cli.output import tell

    if not arguments.project.exists():
        raise UsageError(f"there is no {arguments.project}")
    rows = [_machine(), _clocks(), _interpreter(arguments), _extras(), *_sandbox(arguments)]
    failed = any(row.state is Health.FAIL for row in rows)
    if arguments.json:
        print(json.dumps({"schema": "codeopt.doctor/2", "ok": not failed, "checks": [asdict(row) for row in rows]}))
    else:
        tell(table(rows))
    return int(failed)


def table(rows: list[Row]) -> str:
    """Format the rows, failures and notes first, and the number of these."""
    by_state = {state: [row for row in rows if row.state is state] for state in Health}
    failed, notes = counted(len(by_state[Health.FAIL]), "check"), counted(len(by_state[Health.NOTE]), "note")
    ready = f"Not ready: {failed} failed, {notes}." if by_state[Health.FAIL] else f"Ready. {notes}, nothing failed."
    return "\n".join([*(str(row) for several in by_state.values() for row in several), ready, ""])


def _machine() -> Row:
    from codeopt.core.cache import machine

    facts = machine()
    cores, load = facts.cores, os.getloadavg()[0]
    said = f"{counted(cores, 'core')}, load {load:.1f}; {facts.cpu}, {facts.system}"
    if cores < 2:
        return Row("machine", Health.NOTE, said, "a second core keeps codeopt's own work away from timed runs")
    if load > BUSY * cores:
        hint = "close other programs, or use --metric cpu: a busy machine needs more runs to see a small gain"
        return Row("machine", Health.NOTE, said, hint)
    return Row("machine", Health.OK, said)


def _clocks(path: Path = COUNTERS) -> Row:
    """Whether the kernel tells a busy machine from a program that sleeps."""
    try:
        known = len(path.read_text().split()) == 3
    except OSError:
        known = False
    if known:
        return Row("clocks", Health.OK, "CPU time, and wall time without the time that a run waits for a core")
    hint = "boot a kernel with CONFIG_SCHED_INFO, or use --metric cpu"
    return Row("clocks", Health.NOTE, f"{path} has no counters: waiting for a core looks like sleep", hint)


def _interpreter(arguments: argparse.Namespace) -> Row:
    from codeopt.core.interpreter import ADVICE, Origin, find_interpreter

    try:
        found = find_interpreter(arguments.python, arguments.project)
    except UsageError as error:
        return Row("Python", Health.FAIL, str(error), error.hint or ADVICE)
    if found.origin is Origin.OWN:
        hint = "activate the project's environment, or use --python .venv/bin/python"
        return Row("Python", Health.NOTE, found.words, hint)
    if found.pytest is None:
        return Row("Python", Health.NOTE, found.words, "install pytest there: without it no test is run")
    return Row("Python", Health.OK, found.words)


def _extras() -> Row:
    """The extras of codeopt of which a package is missing."""
    from codeopt.core.plugins import extras, install_command

    missing = [extra for extra, needed in sorted(extras().items()) if not all(map(_installed, needed))]
    if not missing:
        return Row("extras", Health.OK, "all are installed")
    hint = f"only if you need them: {install_command(missing[0])}"
    return Row("extras", Health.NOTE, f"not installed: {', '.join(missing)}", hint)


def _installed(requirement: str) -> bool:
    try:
        version(re.findall(r"[\w.-]+", requirement)[0])
    except PackageNotFoundError:
        return False
    return True


def _sandbox(arguments: argparse.Namespace) -> Iterator[Row]:
    """The sandbox that a run would get, its limits, and one comparison of identical code in it."""
    from codeopt_sandbox import RunLimits, open_sandbox

    limits = RunLimits()
    try:
        with open_sandbox(arguments.sandbox, limits=limits) as sandbox:
            said = f"{sandbox.backend}: {sandbox.description}"
        if sandbox.backend == "process":
            yield Row("sandbox", Health.FAIL, said, HOW_TO_ISOLATE)
        else:
            yield Row("sandbox", Health.OK, said)
        yield Row(
            "limits of a run", Health.OK,
            f"{limits.seconds:g} s, {limits.memory_mib} MiB of memory, {limits.output_mib:g} MiB of output, "
            f"{limits.processes} processes",
        )  # fmt: skip
        yield _same_code(arguments.sandbox)
    except (CodeoptError, SandboxError) as error:
        yield Row("sandbox", Health.FAIL, str(error), HOW_TO_ISOLATE)


def _same_code(backend: str) -> Row:
    """A program against itself, under codeopt's own Python: a difference comes once in 50 times."""
    from codeopt.core.options import FuzzPolicy, ImproveOptions
    from codeopt.core.program import as_target
    from codeopt.engine.compare import compare
    from codeopt.engine.open_session import open_session
    from codeopt_sandbox.compare import Decision

    with temporary_folder("doctor") as name:
        old, new, case = (Path(name, each) for each in ("old.py", "new.py", "in.txt"))
        old.write_text(PROGRAM)
        new.write_text(f"{PROGRAM}# the same\n")
        case.write_text("60000\n")
        options = ImproveOptions(
            sandbox=backend, python=sys.executable, stdin=case, mutated_inputs=FuzzPolicy.OFF, no_cache=True
        )
        found = compare(as_target(str(old)), as_target(str(new)), options, open_session()).verdict
    said = f"{found.gain}, of a program and itself"
    if found.outcome is Decision.SAME or (found.outcome is Decision.INCONCLUSIVE and found.is_judged):
        return Row("timing", Health.OK, said)
    if found.outcome in (Decision.FASTER, Decision.SLOWER):
        hint = "one comparison in 50 may say so: if it comes again, close other programs or use --metric cpu"
        return Row("timing", Health.NOTE, said, hint)
    return Row("timing", Health.FAIL, f"{said}: {found.reason}", "fix what the other lines name, and run it again")
