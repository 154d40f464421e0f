"""Benchmarks of the project: a command of pytest-benchmark, pyperf or ASV is timed by the bodies that it runs.

A harness runs a body for some seconds. A faster body runs more often, and the command takes as long as before. So each
body runs a fixed number of times here. The time is measured outside of the process, as for any command. The share of
the harness is measured once on the original and subtracted. The harness's own figures appear in reports and decide
nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from statistics import median
from typing import Any, Protocol

from codeopt.core.plugins import load, names
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import WATCH, ProjectCommand
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.outcome import Files, Run

RESULT = f"{WATCH}/benches.json"
LEAST_S = 0.3
"""Minimum time of all bodies together in one run, seconds."""
MOST_LOOPS = 2_000
"""Maximum number of times that each body is run to reach it."""
OF_TOOL = 1 / 3
"""Minimum time of the bodies, as a share of the tool's own time.

For example, pytest starts in 0.2 s, and in 3 s with all its plug-ins.
"""
SETTLED = 2
"""Number of corrections of the loop count."""
KEPT = 200
"""Values of a body that are kept."""


@dataclass(frozen=True)
class TimedBody:
    """One body, by the name that its harness gives it."""

    name: str
    seconds: tuple[float, ...]
    """Time of each call or loop of calls, seconds."""


class Harness(Protocol):
    """Knows one tool."""

    NAME: str

    def matches(self, command: ProjectCommand, project: ProjectFiles) -> bool:
        """Return True if the command runs benchmarks of this tool."""
        ...

    def fixed(self, command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
        """The command that runs each body so often and leaves its figures in RESULT, and files that it needs."""
        ...

    def read(self, content: bytes) -> Iterator[tuple[str, list[float]]]:
        """Names in RESULT with the seconds of a call. Raises ValueError, KeyError, TypeError, AttributeError."""
        ...


@dataclass(frozen=True)
class Benches:
    harness: str
    loops: int
    before: tuple[TimedBody, ...]
    runs: CommandRuns
    """Run each body so often; without what the harness takes."""
    _read: Harness

    @property
    def words(self) -> str:
        """For people."""
        return f"{len(self.before)} of {self.harness}, each run {self.loops} times"

    @property
    def lines(self) -> tuple[re.Pattern[bytes], ...]:
        """Patterns of output in which a tool says a body's time, in a unit that goes by how long it is."""
        return tuple(re.compile(rb"^%b: .*$" % re.escape(b.name.encode()), re.MULTILINE) for b in self.before)

    def after(self, draft: Revision) -> tuple[TimedBody, ...]:
        """Measure the bodies with a candidate."""
        return _benches(self._read, self.runs.run(draft))

    def to_json(self, after: tuple[TimedBody, ...]) -> dict[str, Any]:
        """One row a body."""
        new = {harness.name: harness for harness in after}
        rows = []
        for old in self.before:
            row: dict[str, Any] = {"name": old.name, "before": list(old.seconds), "after": None, "ratio": None}
            if (found := new.get(old.name)) and median(found.seconds) > 0:
                row |= {"after": list(found.seconds), "ratio": round(median(old.seconds) / median(found.seconds), 4)}
            rows.append(row)
        return {"harness": self.harness, "loops": self.loops, "rows": rows}


def find_benches(runs: CommandRuns, draft: Revision) -> Benches | None:
    """Benchmarks of the command; None for one that runs none of a known tool, or whose bodies cannot be run so."""
    known: list[Any] = [load(__name__, name) for name in names(__name__)]
    harness: Harness | None = next((each for each in known if each.matches(runs.command, runs.project)), None)
    if harness is None:
        return None
    once, run = _fixed(harness, runs, draft, 1)
    first = _benches(harness, run)
    if run.exit != 0 or not first:
        return None
    idle = min((once.run(draft) for _ in range(2)), key=lambda each: each.cpu_s)
    loops, bodies = 1, first
    for _ in range(SETTLED):  # a first call takes longer than those after it
        each = sum(median(harness.seconds) for harness in bodies)
        loops = min(max(ceil(max(LEAST_S, idle.cpu_s * OF_TOOL) / each), 1), MOST_LOOPS) if each > 0 else MOST_LOOPS
        again, run = _fixed(harness, runs, draft, loops)
        bodies = _benches(harness, run)
        if run.exit != 0 or not bodies:
            return None
    own = sum(median(harness.seconds) for harness in bodies)
    left_out = (max(0.0, idle.cpu_s - own), max(0.0, idle.active_s - own))
    return Benches(harness.NAME, loops, bodies, replace(again, left_out_s=left_out), harness)


def _fixed(harness: Harness, runs: CommandRuns, draft: Revision, loops: int) -> tuple[CommandRuns, Run]:
    command, files = harness.fixed(runs.command, runs.project, loops)
    found = replace(runs, command=command, beside=files)
    return found, found.run(draft)


def _benches(harness: Harness, run: Run) -> tuple[TimedBody, ...]:
    """Times of the bodies as a run wrote them, which may be anything."""
    content = next((file.content for file in run.written if file.path == RESULT), None)
    try:
        rows = list(harness.read(content)) if content else []
        return tuple(TimedBody(str(name), tuple(map(float, values))[:KEPT]) for name, values in rows if values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()
