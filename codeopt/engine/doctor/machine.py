"""Equipment of machine and installation: cores, the scheduler's counters, extras, the project's interpreter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.extras import extras, install_command
from codeopt.core.interpreter import ADVICE, Origin, find_interpreter
from codeopt.core.machine import machine
from codeopt.engine.doctor.exam_row import ExamRow, Health

COUNTERS = Path("/proc/self/schedstat")
"""Run-queue wait of a process. Distinguishes a busy machine from a program that sleeps."""
_PACKAGE = re.compile(r"[\w.-]+")
BUSY = 0.75
"""Runnable processes a core from which on the machine counts as busy."""


def examine_machine(python: str | None, place: Path) -> Iterator[ExamRow]:
    """One line each. python: the interpreter that is named; place: the folder of the project."""
    yield _cores()
    yield _counters()
    yield _interpreter(python, place)
    yield _extras()


def _cores() -> ExamRow:
    facts = machine()
    cores, load = int(facts["cores"]), os.getloadavg()[0]
    said = f"{cores} core{'s' * (cores > 1)}, load {load:.1f}; {facts['cpu']}, {facts['system']}"
    if cores < 2:
        return ExamRow("machine", Health.NOTE, said, "a second core keeps codeopt's own work away from timed runs")
    if load > BUSY * cores:
        hint = "close other programs, or use --metric cpu: a busy machine needs more runs to see a small gain"
        return ExamRow("machine", Health.NOTE, said, hint)
    return ExamRow("machine", Health.OK, said)


def _counters(path: Path = COUNTERS) -> ExamRow:
    try:
        counted = len(path.read_text().split()) == 3
    except OSError:
        counted = False
    if counted:
        return ExamRow("scheduler's counters", Health.OK, "the time that a run waits for a core is known")
    hint = "boot a kernel with CONFIG_SCHED_INFO, or use --metric cpu"
    return ExamRow(
        "scheduler's counters", Health.NOTE, f"{path} has no counters: waiting for a core looks like sleep", hint
    )


def _interpreter(python: str | None, place: Path) -> ExamRow:
    try:
        found = find_interpreter(python, place)
    except UsageError as error:
        return ExamRow("project's Python", Health.FAIL, str(error), error.hint or ADVICE)
    said = found.words
    if found.origin is Origin.OWN:
        hint = "activate the project's environment, or use --python .venv/bin/python"
        return ExamRow("project's Python", Health.NOTE, said, hint)
    if found.pytest_version is None:
        return ExamRow("project's Python", Health.NOTE, said, "install pytest there: without it no test is run")
    return ExamRow("project's Python", Health.OK, said)


def _extras() -> ExamRow:
    """The extras of codeopt of which a package is missing."""
    missing = [extra for extra, needed in sorted(extras().items()) if not all(map(_installed, needed))]
    if not missing:
        return ExamRow("extras", Health.OK, "all are installed")
    hint = f"only if you need them: {install_command(missing[0])}"
    return ExamRow("extras", Health.NOTE, f"not installed: {', '.join(missing)}", hint)


def _installed(requirement: str) -> bool:
    try:
        version(_PACKAGE.findall(requirement)[0])
    except PackageNotFoundError:
        return False
    return True
