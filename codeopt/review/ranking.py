"""Ranking of targets, the longest first: by their time under the tests of their files, or by a profile."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeopt.core.errors import CodeoptError, Diagnostic, UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import TracedCalls, Traces, read_program
from codeopt.core.run_clock import RunClock
from codeopt.core.session import Mounts, Session
from codeopt.core.step_error import error_in_words
from codeopt.core.words import utc
from codeopt.report.stacks import SourcePlaces, Stack, StackProfile
from codeopt.review.findings.known import KnownFindings
from codeopt.review.suggestion import ReviewTarget
from codeopt.workloads.function.corpus.existing_tests import Times, TraceCache, any_function, open_trace_cache
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


def rank(options: ImproveOptions, targets: Sequence[ReviewTarget], session: Session, clock: RunClock) -> Ranking:
    """Rank the targets by their time under their tests, the longest first. Raises DeadlineReached."""
    session = replace(session, open_sandbox=clock.within(session.open_sandbox))

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return session.open_sandbox(options, notify=session.console.warn, mounts=mounts)

    if not options.use_tests:
        return Ranking(tuple(targets))
    linked = Linked.of(session.interpreter)

    def open_traces(harness: FunctionHarness) -> TraceCache:
        return open_trace_cache(harness, options, session, session.interpreter, linked)

    return ranked(targets, open_with, options.tests, linked, open_traces, clock)


def ranked(
    targets: Sequence[ReviewTarget],
    open_with: OpenSandbox,
    tests: tuple[Path, ...] = (),
    linked: Linked = NO_LINKS,
    open_traces: OpenTraces | None = None,
    clock: RunClock | None = None,
) -> Ranking:
    """Rank targets by their share of the time, the longest first. Untested ones follow, those with loops first.

    Programs come first, as their cases are made to run them.

    open_with: opens a sandbox with the given mounts. linked: packages that the environment imports directly.
    open_traces: opens the cached traces of earlier commands, None runs the tests. clock: raises DeadlineReached after
    its deadline, before the next file is read. None: no deadline.
    """
    clock = clock or RunClock()
    by_project: dict[Path, list[Path]] = {}
    # Return functions by file and name, those with loops first: one run records calls of a limited number.
    modules = {}
    for one in dict.fromkeys(each.file for each in targets if each.function):
        clock.check()
        modules[one] = read_functions(one)
    texts = {target: modules[target.file].find(target.function).text for target in targets if target.function}
    targets = sorted(targets, key=lambda each: each in texts and not _LOOP.search(texts[each]))
    wanted = [(each.file, each.function) for each in targets if each in texts]
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
    shared = []
    for target in targets:
        given = (each.get((target.file, target.function), 0.0) for each in (seconds, own))
        took, alone = (each if math.isfinite(each) else 0.0 for each in given)  # the sandbox may report no number
        shared.append(replace(target, seconds=took, share=_share(took, total), own_share=_share(alone, total)))
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


def _share(seconds: float, total: float) -> float | None:
    return min(1.0, seconds / total) if seconds > 0 and total > 0 else None


# Ranking by what production spends in the targets, from a profile that another profiler wrote.


@dataclass(frozen=True)
class ProfileMatch:
    """Targets by their share of a profile, the largest first."""

    targets: tuple[ReviewTarget, ...]
    share: float
    """Part of the profile's time that lies in targets, with the libraries that they call, 0 to 1."""
    words: str
    """One line about it for the user."""
    name: str


def rank_by_profile(targets: Sequence[ReviewTarget], profile: StackProfile) -> ProfileMatch:
    """Rank targets by their own share, with that of libraries that they call; programs by all that is below them. Those
    of no time keep their order at the end. Raises UsageError where no time of the profile lies in any."""
    owners = _Owners(targets)
    own: dict[tuple[str, str], float] = defaultdict(float)
    total = profile.total
    for stack, weight in profile.weights:
        for key in owners.of(stack):
            own[key] += weight
    timed = profile.unit == "seconds"
    found = list(targets)
    for at, target in enumerate(targets):
        if spent := own.get((target.path, target.function), 0.0):
            found[at] = replace(target, share=min(1.0, spent / total), seconds=spent if timed else 0.0)
    functions = sum(spent for (_, function), spent in own.items() if function)
    share = min(1.0, max([functions, *(spent for (_, function), spent in own.items() if not function)]) / total)
    if not share:
        paths = sorted({frame.file for stack, _ in profile.weights for frame in stack if frame.file})
        seen = f"it names {', '.join(paths[:3])}" if paths else "it names no files"
        raise UsageError(f"--profile {profile.name}: none of its time is in the functions that are checked", hint=seen)
    amount = f"{total:.4g} s" if timed else f"{total:,.0f} samples"
    words = f"{share:.0%} of {amount} in {profile.name} are in what is checked, with the libraries that it calls"
    return ProfileMatch(tuple(sorted(found, key=lambda each: -(each.share or 0.0))), share, words, profile.name)


class _Owners:
    """Targets by where a profile saw a function."""

    def __init__(self, targets: Sequence[ReviewTarget]) -> None:
        self.names: dict[str, set[str]] = defaultdict(set)
        """Functions that are targets, by path; an empty name is a program."""
        for target in targets:
            self.names[target.path].add(target.function)
        files = {target.path: target.file for target in targets}
        self.places = SourcePlaces({path: read_program(file).source for path, file in files.items()})

    def of(self, stack: Stack) -> set[tuple[str, str]]:
        """The innermost target function of a stack, and the programs in it."""
        found: set[tuple[str, str]] = set()
        innermost: tuple[str, str] | None = None
        for frame in stack:
            if place := self.places.find(frame):
                path, name = place
                while "." in name and name not in self.names[path]:
                    name = name.rpartition(".")[0]  # a function inside of another is a part of that
                found |= {(path, "")} if "" in self.names[path] else set()
                innermost = (path, name) if name in self.names[path] - {""} else None
        return found | ({innermost} if innermost else set())
