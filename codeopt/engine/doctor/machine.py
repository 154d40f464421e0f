"""Equipment of machine and installation: cores, the scheduler's counters, extras, the project's interpreter."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.core.interpreter import Origin, find_interpreter
from codeopt.core.machine import machine
from codeopt.engine.doctor.exam_row import ExamRow, Health

DEVELOPERS = ("test", "docs")
"""Extras that only the work on codeopt needs."""
COUNTERS = Path("/proc/self/schedstat")
"""Time that a process waited for a core: by it a busy machine is told from a program that waits."""
_OF_AN_EXTRA = re.compile(r"(?P<package>[\w.-]+).*extra == ['\"](?P<extra>[\w-]+)['\"]")
BUSY = 0.75
"""Runnable processes a core from which on the machine counts as busy."""


def examine_machine(python: str | None, place: Path) -> Iterator[ExamRow]:
    """One line each. python: the interpreter that is named; place: the folder of the project."""
    yield _cores()
    yield _counters()
    yield _interpreter(python, place)
    yield from _extras()


def _cores() -> ExamRow:
    facts = machine()
    cores, load = int(facts["cores"]), os.getloadavg()[0]
    said = f"{facts['cpu']}, {cores} core{'s' * (cores > 1)}, load {load:.1f}, {facts['system']}"
    if cores < 2:
        return ExamRow(
            "machine", Health.NOTE, said, "a second core would keep codeopt's own work away from what is timed"
        )
    if load > BUSY * cores:
        remedy = "small gains take more pairs while other programs run: end them, or time by --clock cpu"
        return ExamRow("machine", Health.NOTE, said, remedy)
    return ExamRow("machine", Health.OK, said)


def _counters(path: Path = COUNTERS) -> ExamRow:
    try:
        counted = len(path.read_text().split()) == 3
    except OSError:
        counted = False
    if counted:
        return ExamRow("scheduler's counters", Health.OK, "the time that a run waits for a core is known")
    remedy = "boot a kernel with CONFIG_SCHED_INFO, or say --clock cpu"
    return ExamRow("scheduler's counters", Health.NOTE, f"{path} has none: waiting for a core looks like sleep", remedy)


def _interpreter(python: str | None, place: Path) -> ExamRow:
    try:
        found = find_interpreter(python, place)
    except UsageError as error:
        return ExamRow("project's Python", Health.FAIL, str(error), "mend the environment, or name another by --python")
    said = found.words
    if found.origin is Origin.OWN:
        remedy = "where your project has an environment, activate it or name it: --python .venv/bin/python"
        return ExamRow("project's Python", Health.NOTE, said, remedy)
    if found.pytest_version is None:
        return ExamRow("project's Python", Health.NOTE, said, "install pytest there, or no test of the project is run")
    return ExamRow("project's Python", Health.OK, said)


def _extras() -> Iterator[ExamRow]:
    """Each extra of codeopt with what is missing of it."""
    for extra, needed in sorted(extras().items()):
        missing = [each for each in needed if not _installed(each)]
        found = f"{', '.join(missing)} missing" if missing else "installed"
        remedy = f"pip install 'codeopt[{extra}]' if you want it" if missing else ""
        yield ExamRow(f"extra {extra}", Health.NOTE if missing else Health.OK, found, remedy)


def extras() -> dict[str, list[str]]:
    """The packages of each extra that users may want, as this installation declares them."""
    found: dict[str, list[str]] = {}
    for line in requires("codeopt") or ():
        if (named := _OF_AN_EXTRA.match(line)) and named["extra"] not in DEVELOPERS:
            found.setdefault(named["extra"], []).append(named["package"])
    return found


def _installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True
