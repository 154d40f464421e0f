"""The command's own run as a profile: whose time it is, function by function, and how often they call each other."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from codeopt.analysis.nodes import first_line
from codeopt.core.errors import ProgramError
from codeopt.core.revision import Revision
from codeopt.workloads.project.command import WATCH
from codeopt.workloads.project.profile import (
    CalledBy,
    GivenArgument,
    ProjectProfile,
    Sample,
    Spot,
    TimedLine,
    make_profile,
    waiting_share,
    with_lines,
)
from codeopt.workloads.project.runs import CommandRuns, error_of
from codeopt.workloads.project.waits_and_queries import WaitLine, query_lines, wait_lines
from codeopt.workloads.source.functions import definitions
from codeopt_sandbox.guest_bundle import loading
from codeopt_sandbox.outcome import Case, Files, Run, RunLimits

HOOKED_S = 6.0
"""CPU time after which a process counts no more calls, or times no more lines, seconds."""
LONGER = 10
"""Maximum time of a run with such a hook, as a multiple of one without it."""
LEAST_S = 30.0
"""Time that such a run may take in any case, seconds."""
HOOK = """
import os, sys, time
_begun = time.process_time()
_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if path != _folder]
if sys.version_info >= (3, 8):
{indented}
    _log = _bundle.load("tests.call_log").CallLog(_folder)
    _watch = _bundle.load("tests.{module}").{function}
    _log.write("@ hook %.6f" % (time.process_time() - _begun))
    _watch(os.path.dirname(_folder), *{arguments!r}, _log.write)
    from importlib.machinery import PathFinder as _finder
    _spec = _finder.find_spec("sitecustomize")
    if _spec is not None and _spec.loader is not None:
        from importlib.util import module_from_spec as _make
        sys.modules["sitecustomize"] = _make(_spec)
        _spec.loader.exec_module(sys.modules["sitecustomize"])
"""
"""A sitecustomize module; the one that stands behind it on the path is run too."""


ENOUGH_S = 0.6
"""Minimum sampled CPU time, seconds; short commands are run several times. The kernel's clock gives a sample each 4 ms,
and a share of 10 % is then known to about 3 %."""
MOST_RUNS = 12
"""Maximum number of runs to reach it."""
WAITS = 0.1
"""Minimum share of the clock that a command waits where it is looked for what it waits for."""
TIMED = 0.03
"""Minimum own share of a function whose lines are timed."""
MOST_TIMED = 8
"""Maximum number of functions whose lines are timed."""


@dataclass(frozen=True)
class Watcher:
    """Instrumentation of each interpreter of the command: a function of a module of codeopt_sandbox.guest.tests, given
    the project's folder first, and what writes a line last."""

    module: str
    function: str
    arguments: tuple[Any, ...] = ()
    needs: tuple[str, ...] = (
        "tests/project_", "tests/process_end", "tests/cpu_sampler", "tests/watched_file", "tests/call_log",
    )  # fmt: skip
    """Files of codeopt_sandbox.guest, by how their paths begin."""


@dataclass(frozen=True)
class WatchedLines:
    """Lines written down during a run."""

    run: Run
    lines: tuple[str, ...]

    @cached_property
    def rows(self) -> tuple[tuple[str, Any], ...]:
        """(kind, payload) of each well-formed line."""
        return tuple(_rows(self.lines))

    def of(self, kind: str) -> list[Any]:
        """The rows of one kind."""
        return [value for name, value in self.rows if name == kind]


def profile_command(runs: CommandRuns, draft: Revision, plain: Run | None = None) -> ProjectProfile:
    """Run it as it is, under a sampler, and under a counter of calls. Raises ProgramError where it fails.

    plain: an earlier run of the same as it is.
    """
    plain = plain or runs.run(draft)
    require_good(plain, runs)
    runs.allow_after(plain)
    watched = [_sampled(runs, draft)]
    while sum(map(_seconds, watched)) < ENOUGH_S and len(watched) < MOST_RUNS:
        watched.append(_sampled(runs, draft))
    limits = replace(runs.limits, seconds=min(runs.limits.seconds, max(LEAST_S, plain.wall_s * LONGER)))
    counted = watched_run(runs, draft, Watcher("project_time", "count", (HOOKED_S,)), limits)
    names = _Names({path: content for path, content in runs.with_edits(draft) if path.endswith(".py")})
    waits, lost = _waits(runs, draft, plain, names)
    samples = [_sample(row, names, len(watched)) for each in watched for row in each.of("stack")]
    names.keep_to({spot.file for each in samples for spot in each.stack if spot.line})
    calls = _calls(counted, names)
    again = [(names.called(place), float(share)) for place, share in counted.of("again")]
    repeated = {spot: share for spot, share in again if spot is not None}
    begun = sum(float(seconds) for each in watched for seconds in each.of("begun")) / len(watched)
    partly = _seen_in_part(counted, plain)
    known = None if partly and not calls else calls
    found = make_profile(plain, samples, known, begun, repeated, dict(_given(counted, names)))
    if known and partly:
        lost = (f"calls are counted in part: {partly} under the counter", *lost)
    queries = query_lines(counted.of("query"), names.spot, calls)
    found = replace(found, waits=waits, queries=queries, notes=(*found.notes, *lost))
    targets = [f for f in found.targets if f.expected_gain >= TIMED][:MOST_TIMED]  # also of little time of their own
    hot = [(f.file, f.line) for f in (*targets, *[f for f in found.functions if f.own_share >= TIMED][:MOST_TIMED])]
    hot = list(dict.fromkeys(hot))
    spans = names.spans(list(dict.fromkeys([*hot, *_called_by(found, set(hot))]))[: 3 * MOST_TIMED])
    if not spans:
        return found
    timed = watched_run(runs, draft, Watcher("project_lines", "install", (spans, HOOKED_S)), limits)
    rows = [TimedLine(str(file), int(line), float(spent), int(times)) for file, line, spent, times in timed.of("line")]
    if partly := _seen_in_part(timed, plain):
        found = replace(found, notes=(*found.notes, f"lines are timed in part: {partly} under the timer"))
    return with_lines(found, rows, names.owner)


def _calls(counted: WatchedLines, names: _Names) -> list[CalledBy]:
    """Calls of the functions that matter, by caller; what is counted is written several times."""
    found: Counter[tuple[Spot, str]] = Counter()
    for place, caller, count in counted.of("calls"):
        if spot := names.called(place):
            found[spot, caller] += int(count)
    return [CalledBy(spot, names.spot(caller), count) for (spot, caller), count in found.items()]


def _is_whole(watched: Run, plain: Run) -> bool:
    """Whether a run under a watcher ended as the command does without."""
    return watched.stop is None and watched.exit == plain.exit


def _seen_in_part(watched: WatchedLines, plain: Run) -> str:
    """Why a hook did not see all of the command; empty where it did."""
    if not _is_whole(watched.run, plain):
        return "the command did not end"
    return f"it had {HOOKED_S:.0f} s of the processor" if watched.of("cut") else ""


def _waits(
    runs: CommandRuns, draft: Revision, plain: Run, names: _Names
) -> tuple[tuple[WaitLine, ...], tuple[str, ...]]:
    """Find where the command waits, nothing where it hardly does; and a note where it does not end under the sampler as
    it does without."""
    if waiting_share(plain) < WAITS:
        return (), ()
    watched = watched_run(runs, draft, Watcher("project_waits", "install"))
    if not _is_whole(watched.run, plain):
        return (), ("where it waits is not known: the command did not end under the sampler of waiting",)
    return wait_lines(watched.of("wait"), names.spot, plain.wall_s), ()


def _given(watched: WatchedLines, names: _Names) -> Iterable[tuple[Spot, tuple[GivenArgument, ...]]]:
    for place, rows in watched.of("given"):
        if spot := names.called(place):
            yield spot, tuple(GivenArgument(str(name), str(kind), *map(int, bounds)) for name, kind, *bounds in rows)


def _called_by(profile: ProjectProfile, callers: set[tuple[str, int]]) -> list[tuple[str, int]]:
    """Functions that some functions call, the most often called first."""
    known = [each for each in profile.callers if each.callee and each.caller]
    ranked = sorted(known, key=lambda each: -each.calls)
    return [
        (each.callee.file, each.callee.line)
        for each in ranked
        if each.callee and each.caller and (each.caller.file, each.caller.line) in callers
    ]


def _sampled(runs: CommandRuns, draft: Revision) -> WatchedLines:
    """Raises ProgramError."""
    watched = watched_run(runs, draft, Watcher("project_time", "install"))
    require_good(watched.run, runs)
    return watched


def _seconds(watched: WatchedLines) -> float:
    """Seconds that the samples stand for."""
    return sum(float(row[4]) for row in watched.of("stack"))


def require_good(run: Run, runs: CommandRuns) -> None:
    """Raises ProgramError, with what the command said."""
    last = error_of(run)
    if run.stop == "time":
        raise ProgramError(
            f"--run: the command does not end within {runs.limits.seconds:g} s (--timeout S gives more); "
            "one that waits for input gets none"
        )
    if run.stop is not None:
        advice = " (--memory MiB gives more)" * (run.stop == "memory")
        raise ProgramError(f"--run: the command was ended: {run.stop_detail}{advice}")
    if run.exit != 0:
        ending = f"exit status {run.exit}" if run.exit is not None else f"signal {run.signal}"
        raise ProgramError(
            f"--run: the command fails in the sandbox with {ending}" + (f": {last}" if last else "")
            + "; it sees what git tracks and what --with names, no network"
        )  # fmt: skip


def watched_run(
    runs: CommandRuns, draft: Revision, watcher: Watcher, limits: RunLimits | None = None, case: Case | None = None
) -> WatchedLines:
    """Run the command, or another one that is a case, with a watcher in each of its interpreters. A line that a process
    was ended in the middle of may be there; what a run writes is not trusted to be ours."""
    files, args = (case.files or (), case.args) if case else ((), ())
    run = runs.run(draft, files=(*files, *_hook(watcher)), limits=limits, args=args)
    found: list[str] = []
    for file in run.written:
        if file.path.startswith(f"{WATCH}/") and file.path.endswith(".txt") and file.content:
            found += file.content.decode("utf-8", "replace").split("\n")
    return WatchedLines(run, tuple(found))


def _hook(watcher: Watcher) -> Files:
    guest = loading(*watcher.needs, "tests/__init__")
    indented = "".join(f"    {line}" for line in guest.splitlines(keepends=True))
    names = {"module": watcher.module, "function": watcher.function, "arguments": watcher.arguments}
    text = HOOK.format(indented=indented, **names)
    return ((f"{WATCH}/sitecustomize.py", text.encode()),)


def _rows(lines: Iterable[str]) -> Iterable[tuple[str, Any]]:
    """(kind, payload) of the lines; malformed ones are left out."""
    for line in lines:
        if line.startswith("@ "):
            kind, _, text = line[2:].partition(" ")
            try:
                value = json.loads(text)
            except ValueError:
                continue
            yield kind, value


def _sample(row: Any, names: _Names, runs: int) -> Sample:
    """Its part of one run."""
    stack, line, library, importing, seconds = row
    spots = [spot for spot in map(names.spot, stack) if spot is not None]
    kept = tuple(spot for at, spot in enumerate(spots) if at == 0 or spot != spots[at - 1])
    return Sample(kept, int(line), str(library), bool(importing), float(seconds) / runs)


class _Names:
    """Functions by file and first line; a comprehension, a lambda and a class's body count for what is around them."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = files
        self.known: dict[str, list[tuple[int, int, str]]] = {}
        self.kept: frozenset[str] | None = None

    def keep_to(self, files: Collection[str]) -> None:
        """Take calls of functions of other files for none of the project's: of a large project most files are loaded
        and take no time, and each is parsed for its names."""
        self.kept = frozenset(files)

    def spot(self, place: str) -> Spot | None:
        """The function at `/path:line`; None for what is not the project's."""
        path, _, text = place[1:].rpartition(":")
        if place[:1] != "/" or path not in self.files:
            return None
        if text == "0":
            return Spot(path, "<module>", 0)
        if path not in self.known:
            self.known[path] = _spans(self.files[path])
        line = int(text)
        around = [(first, name) for first, last, name in self.known[path] if first <= line <= last]
        first, name = max(around, default=(0, "<module>"))
        return Spot(path, name, first)

    def spans(self, functions: Sequence[tuple[str, int]]) -> list[tuple[str, int, int]]:
        """File, first and last line of functions, by file and first line."""
        return [
            (path, first, last)
            for path, line in functions
            for first, last, _ in self.known.get(path, ())
            if first == line
        ]

    def owner(self, path: str, line: int) -> Spot | None:
        """The function that a line belongs to."""
        return self.spot(f"/{path}:{line}")

    def called(self, place: str) -> Spot | None:
        """The same for what begins there, and nothing else: a comprehension is no call."""
        path, _, line = place[1:].rpartition(":")
        if self.kept is not None and line != "0" and path not in self.kept:  # a module's own name needs no parsing
            return None
        spot = self.spot(place)
        return spot if spot and place.endswith(f":{spot.line}") else None


def _spans(content: bytes) -> list[tuple[int, int, str]]:
    """First and last line of each function."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return []
    return [(first_line(node), node.end_lineno or node.lineno, name) for name, node in definitions(tree)]
