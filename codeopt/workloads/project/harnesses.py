"""Benchmarks of the project: a command of pytest-benchmark, pyperf or ASV is timed by the bodies that it runs.

A harness runs a body for some seconds. A faster body runs more often, and the command takes as long as before. So each
body runs a fixed number of times here. The time is measured outside of the process, as for any command. The share of
the harness is measured once on the original and subtracted. The harness's own figures appear in reports and decide
nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil
from statistics import median
from typing import Any

from codeopt.core.revision import Revision
from codeopt.workloads.project.command import WATCH, ProjectCommand
from codeopt.workloads.project.project_program import ASV_SETTINGS, ProjectFiles, asv_folder
from codeopt.workloads.project.runs import CommandRuns
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Files, Run

RESULT = f"{WATCH}/benches.json"
MOST_LOOPS = 2_000
"""Maximum number of times that each body is run to reach it."""


@dataclass(frozen=True)
class TimedBody:
    """One body, by the name that its harness gives it."""

    name: str
    seconds: tuple[float, ...]
    """Time of each call or loop of calls, seconds."""


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
    harness = next((each for each in HARNESSES if each.matches(runs.command, runs.project)), None)
    if harness is None:
        return None
    once, run = _fixed(harness, runs, draft, 1)
    first = _benches(harness, run)
    if run.exit != 0 or not first:
        return None
    idle = min((once.run(draft) for _ in range(2)), key=lambda each: each.cpu_s)
    loops, bodies = 1, first
    # Number of corrections of the loop count
    for _ in range(2):  # a first call takes longer than those after it
        each = sum(median(harness.seconds) for harness in bodies)
        # Minimum time of all bodies together in one run: in seconds, and as a share of the tool's own time. pytest, for
        # example, starts in 0.2 s, and in 3 s with all its plug-ins.
        loops = min(max(ceil(max(0.3, idle.cpu_s / 3) / each), 1), MOST_LOOPS) if each > 0 else MOST_LOOPS
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
        # Values of a body that are kept
        return tuple(TimedBody(str(name), tuple(map(float, values))[:200]) for name, values in rows if values)
    except (ValueError, KeyError, TypeError, AttributeError):
        return ()


# The tools. Each of them is in `HARNESSES`. `fixed` gives the command that runs each body so often and leaves its
# figures in RESULT, and files that it needs; `read` gives names in RESULT with the seconds of a call.


def _runs_tool(command: ProjectCommand, name: str) -> bool:
    """By `python -m NAME`, or by the script that an installation makes."""
    words = command.words
    return words[:2] == ("-m", name) or (words[:1] == ("-c",) and f"sys.argv[0] = '{name}'" in words[1])


BENCHMARK_TEST = re.compile(rb"^\s*(async )?def test_\w*\([^)]*\bbenchmark\b", re.MULTILINE)
PLUGIN_FOLDER = f"{WATCH}/plugin"
"""Folder of the plug-in. Unlike WATCH, a profiler does not remove it from the import path."""
PLUGIN = """\
from pytest_benchmark.fixture import BenchmarkFixture


def fixed(self, function, *args, **kwargs):
    return self.pedantic(function, args=args, kwargs=kwargs, rounds={loops}, iterations=1)


BenchmarkFixture.__call__ = fixed
"""
"""Patch of the tool: each body runs a fixed number of rounds; a test that gives its rounds itself (benchmark.pedantic)
keeps them."""


class PytestBenchmark:
    """Tests that take its fixture `benchmark`, which runs each body as often as fits into a second."""

    NAME = "pytest-benchmark"

    def matches(self, command: ProjectCommand, project: ProjectFiles) -> bool:
        off = {"--benchmark-disable", "--benchmark-skip"} & set(command.words)
        tests = (text for path, text in project.files if path.endswith(".py"))
        return _runs_tool(command, "pytest") and not off and any(map(BENCHMARK_TEST.search, tests))

    def fixed(self, command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
        """Return the command with a plug-in that gives each body a fixed number of rounds."""
        more = ("-p", "codeopt_bodies", f"--benchmark-json={RESULT}", "--benchmark-quiet")
        plugin = (f"{PLUGIN_FOLDER}/codeopt_bodies.py", PLUGIN.format(loops=loops).encode())
        given = dict(command.variables).get("PYTHONPATH")
        path = ("PYTHONPATH", os.pathsep.join(filter(None, [PLUGIN_FOLDER, given])))
        return replace(command, words=(*command.words, *more), variables=(*command.variables, path)), (plugin,)

    def read(self, content: bytes) -> Iterator[tuple[str, list[float]]]:
        for each in json.loads(content)["benchmarks"]:
            yield each["fullname"], each["stats"]["data"]


IMPORTS_PYPERF = re.compile(rb"^\s*(import pyperf|from pyperf import)\b", re.MULTILINE)
PYPERF_FOLDER = (f"{WATCH}/README", b"What is measured is written here.\n")
"""Makes the folder: pyperf makes none."""


class Pyperf:
    """A script that makes a `pyperf.Runner`, which runs each body in twenty processes."""

    NAME = "pyperf"

    def matches(self, command: ProjectCommand, project: ProjectFiles) -> bool:
        return any(path == command.script and IMPORTS_PYPERF.search(text) for path, text in project.files)

    def fixed(self, command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
        """Return the command with one worker process and a fixed number of values and loops. Its last flags count."""
        values = min(loops, 5)
        fixed = (f"--values={values}", f"--loops={ceil(loops / values)}")
        more = ("--copy-env", "--processes=1", "--warmups=0", *fixed, "--quiet", f"-o{RESULT}")
        return replace(command, words=(*command.words, *more)), (PYPERF_FOLDER,)

    def read(self, content: bytes) -> Iterator[tuple[str, list[float]]]:
        """Yield names and seconds from pyperf's JSON. Metadata that all benchmarks share is at the top."""
        found = json.loads(content)
        for each in found["benchmarks"]:
            name = each.get("metadata", {}).get("name") or found["metadata"]["name"]
            yield name, [value for run in each["runs"] for value in run.get("values", ())]


ASV_ACTIONS = frozenset({"run", "dev", "continuous", "quickstart"})
RUN_ASV = """\
{bundle}
_bundle.load("tests.asv_bodies").main({folder!r}, {pattern!r}, {loops}, {result!r})
"""


class Asv:
    """ASV (airspeed velocity): a folder of `time_*` functions, which ASV runs in environments that it builds.

    It needs the network and git for those, so the bodies are run without it, by its conventions: setup, teardown,
    params.
    """

    NAME = "asv"

    def matches(self, command: ProjectCommand, project: ProjectFiles) -> bool:
        runs = _runs_tool(command, "asv") and bool(ASV_ACTIONS & set(command.words[2:]))
        return runs and any(path == ASV_SETTINGS for path, _ in project.files)

    def fixed(self, command: ProjectCommand, project: ProjectFiles, loops: int) -> tuple[ProjectCommand, Files]:
        pattern, words = "", command.words
        for at, word in enumerate(words):  # `-b REGEX`, `--bench REGEX` or `--bench=REGEX`
            if word in ("-b", "--bench") and at + 1 < len(words):
                pattern = words[at + 1]
                break
            if word.startswith("--bench="):
                pattern = word.partition("=")[2]
                break
        text = RUN_ASV.format(
            bundle=loading("tests/asv_bodies", "tests/__init__"), folder=asv_folder(dict(project.files)),
            pattern=pattern, loops=loops, result=RESULT,
        )  # fmt: skip
        return replace(command, words=("-c", text)), ()

    def read(self, content: bytes) -> Iterator[tuple[str, list[float]]]:
        """Yield names and seconds from the file that `asv_bodies` writes."""
        for each in json.loads(content):
            yield each["name"], each["seconds"]


Harness = Asv | Pyperf | PytestBenchmark
HARNESSES: tuple[Harness, ...] = (Asv(), Pyperf(), PytestBenchmark())
