"""Ranking of targets by their time under the tests of their files, the longest first."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.errors import CodeoptError
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import RunClock
from codeopt.core.session import Mounts
from codeopt.core.step_error import error_in_words
from codeopt.core.target import TracedCalls, Traces
from codeopt.core.words import utc
from codeopt.review.changed_functions import ReviewTarget
from codeopt.review.findings.known import KnownFindings
from codeopt.workloads.function.corpus.existing_tests import Times, any_function
from codeopt.workloads.function.corpus.trace_cache import TraceCache
from codeopt.workloads.function.harness import FunctionHarness, open_harness
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.view import locate
from codeopt.workloads.source.functions import read_functions
from codeopt_sandbox import Sandbox
from codeopt_sandbox.errors import SandboxError

_LOOP = re.compile(r"\b(for|while)\b")
OpenSandbox = Callable[[Mounts], AbstractContextManager[Sandbox]]
"""Callable that opens a sandbox with some folders shown in it."""
OpenTraces = Callable[[FunctionHarness], TraceCache]
"""Callable that opens the kept runs of the tests of a project."""


@dataclass(frozen=True)
class Ranking:
    """Targets in the order in which they are tried."""

    targets: tuple[ReviewTarget, ...] = ()
    traces: Traces = field(default_factory=dict)
    """Findings of the tests' run about the functions."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests that could not be run, so that the time of what they call is not known."""
    cut: bool = False
    """True if tests that may call the targets were left out, because they were too many or took too long."""

    reused_from: float | None = None
    """Time of the earliest of the earlier runs that the times are of, seconds since the epoch. None: all are new."""

    @property
    def tests_from(self) -> str:
        """`2026-03-01T12:30:00Z` of the same. Empty if all are new."""
        return "" if self.reused_from is None else utc(self.reused_from)

    @property
    def untested(self) -> str:
        """Return the reason why the time of a target that was not seen is unknown."""
        return "none of the tests that were run calls it, and not all were" if self.cut else "no test runs it"


def ranked(
    targets: Sequence[ReviewTarget],
    open_with: OpenSandbox,
    tests: tuple[Path, ...] = (),
    linked: Linked = NO_LINKS,
    open_traces: OpenTraces | None = None,
    clock: RunClock | None = None,
) -> Ranking:
    """Rank targets by their share of the time, the longest first. Untested ones follow in their order.

    Programs come first, as their cases are made to run them.

    open_with: opens a sandbox with the given mounts. linked: packages that the environment imports directly.
    open_traces: opens the cached traces of earlier commands, None runs the tests. clock: raises DeadlineReached after
    its deadline, before the next file is read. None: no deadline.
    """
    clock = clock or RunClock()
    by_project: dict[Path, list[Path]] = {}
    wanted = _with_loops_first(targets, clock)
    for file in dict.fromkeys(target.file for target in targets if target.function):
        by_project.setdefault(locate(file, linked).root, []).append(file)
    seconds: dict[tuple[Path, str], float] = {}
    own: dict[tuple[Path, str], float] = {}
    traces: dict[tuple[Path, str], TracedCalls] = {}
    diagnostics = []
    reused: list[float] = []
    total, cut = 0.0, False
    for files in by_project.values():
        here = [each for each in wanted if each[0] in files]
        clock.check()
        times = _times(files, open_with, tests, here, linked, open_traces)
        cut = cut or times.cut
        reused += [] if times.reused_from is None else [times.reused_from]
        traces |= times.traces
        own |= times.own
        diagnostics += [times.shortfall] if times.shortfall else []
        total += max(0.0, times.total)
        seconds |= {(path, name): s for path, found in times.seconds.items() for name, s in found.items()}
    timed = [replace(target, seconds=_finite(seconds.get((target.file, target.function), 0.0))) for target in targets]
    shared = [
        replace(
            target,
            share=_share(target.seconds, total),
            own_share=_share(_finite(own.get((target.file, target.function), 0.0)), total),
        )
        for target in timed
    ]
    order = sorted(shared, key=lambda target: (bool(target.function), -target.seconds))
    return Ranking(tuple(order), traces, tuple(diagnostics), cut, min(reused, default=None))


def ranked_before(targets: Sequence[ReviewTarget], known: KnownFindings | None) -> Ranking | None:
    """Return the ranking by the shares that earlier runs found. None if one of the targets has to be judged."""
    shared = []
    for target in targets:
        found = known.find(target.file, target.function) if known else None
        if found is None:
            return None
        shared.append(replace(target, share=found.finding.judged.share))
    return Ranking(tuple(sorted(shared, key=lambda target: (bool(target.function), -(target.share or 0.0)))))


def _with_loops_first(targets: Sequence[ReviewTarget], clock: RunClock) -> list[tuple[Path, str]]:
    """Return functions by file and name, those with loops first: one run records calls of a limited number."""
    modules = {}
    for file in dict.fromkeys(each.file for each in targets if each.function):
        clock.check()
        modules[file] = read_functions(file)
    texts = {target: modules[target.file].find(target.function).text for target in targets if target.function}
    ordered = sorted(texts, key=lambda each: not _LOOP.search(texts[each]))
    return [(each.file, each.function) for each in ordered]


def _times(
    files: Sequence[Path], open_with: OpenSandbox, tests: tuple[Path, ...], wanted: Sequence[tuple[Path, str]],
    linked: Linked, open_traces: OpenTraces | None,
) -> Times:  # fmt: skip
    """Time the functions of some files under their tests. The result has a reason instead if the tests cannot run."""
    try:
        one = next(filter(None, map(any_function, files)), None)
        if one is None:
            return Times({}, 0.0, 0)
        with open_harness(one, open_with, tests, linked=linked) as harness:
            traces = open_traces(harness) if open_traces else TraceCache(harness, ImproveOptions(), linked)
            return traces.times(files, wanted)
    except (CodeoptError, SandboxError) as error:
        return Times({}, 0.0, 0, Diagnostic("the tests could not be run", error_in_words(error)))


def _finite(seconds: float) -> float:
    """Read a time that the sandbox reported, which may be no number; 0 in its place."""
    return seconds if math.isfinite(seconds) else 0.0


def _share(seconds: float, total: float) -> float | None:
    return min(1.0, seconds / total) if seconds > 0 and total > 0 else None
