"""Known calls of a function by their sources: the user's file, recordings, tests, doctests, plug-ins; and guesses.

A plug-in is a source of its own: a module with `find(ask) -> list[str]`, calls as text.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from codeopt.core import plugins
from codeopt.core.call import Call
from codeopt.core.errors import Diagnostic, ProgramError, UsageError
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target, TracedCalls
from codeopt.core.sanitize import inline
from codeopt.core.session import Mounts, Session
from codeopt.core.words import counted, end_of_run
from codeopt.workloads.function.corpus.existing_tests import (
    ENOUGH_S,
    MOST_FILES,
    find_tests,
    open_trace_cache,
    run_tests,
)
from codeopt.workloads.function.corpus.hints import calls_from_hints
from codeopt.workloads.function.corpus.observe import Exclusion, unwritten
from codeopt.workloads.function.harness import FunctionHarness, open_harness
from codeopt.workloads.function.recording import keep_calls, left_out, recorded_calls, recording_file
from codeopt.workloads.generated.derive import can_be_varied
from codeopt.workloads.sandbox_view.linked import Linked
from codeopt.workloads.sandbox_view.reached import missing_part
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.tests import NearestTests
from codeopt_sandbox import Sandbox
from codeopt_sandbox.calls import CallBatch, Failure
from codeopt_sandbox.guest.tests.recorder import RECORDED


@dataclass(frozen=True)
class Ask:
    """Request for calls."""

    harness: FunctionHarness
    calls_file: Path | None = None
    use_tests: bool = True
    notify: Callable[[str], None] = lambda line: None
    seen: Callable[[TracedCalls], None] = lambda found: None
    """Told of what a run of the tests has shown."""

    @property
    def named(self) -> str:
        """The function as runs of tests name it."""
        return f"{self.harness.target.module} {self.harness.target.qualname}"


@dataclass(frozen=True)
class Found:
    """Calls by source, calls for timing, and what else was learnt."""

    calls: tuple[tuple[str, tuple[str, ...]], ...]
    big: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    """Ids of tests that pass on the original."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Diagnostics of what could not be run or made."""
    dropped: Mapping[Exclusion, int] = field(default_factory=dict)
    """Number of excluded calls by reason."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Test or doctest that made a call, by call."""
    recorded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a call did each time that it was recorded, by call."""

    def __add__(self, other: Found) -> Found:
        return Found(
            self.calls + other.calls,
            self.big or other.big,
            self.tests or other.tests,
            self.diagnostics + other.diagnostics,
            Counter(self.dropped) + Counter(other.dropped),
            {**self.places, **other.places},
            {**self.recorded, **other.recorded},
        )

    def renamed(self, new: Callable[[str], str]) -> Found:
        """The same with another text for each call."""
        recorded: dict[str, tuple[str, ...]] = {}
        for text, ends in self.recorded.items():
            recorded[new(text)] = (*recorded.get(new(text), ()), *ends)
        return replace(
            self,
            calls=tuple((name, tuple(dict.fromkeys(map(new, calls)))) for name, calls in self.calls),
            big=tuple(map(new, self.big)),
            places={new(text): place for text, place in self.places.items()},
            recorded=recorded,
        )

    def with_recorded_ends(self) -> Found:
        """Texts of calls alone, and apart from them what the calls did when they were recorded."""
        texts = [text.partition(RECORDED) for _, calls in self.calls for text in calls]
        ends = {text + between + end: (end,) for text, between, end in texts if end}
        return replace(self, recorded=ends).renamed(lambda text: text.partition(RECORDED)[0])

    def limited(self) -> Found:
        """At most MOST_GIVEN calls of each source, evenly spaced, and a line on those that are left out."""
        kept = tuple(
            (name, tuple(texts[at * len(texts) // MOST_GIVEN] for at in range(MOST_GIVEN)))
            if len(texts) > MOST_GIVEN
            else (name, texts)
            for name, texts in self.calls
        )
        cut = [len(texts) for _, texts in self.calls if len(texts) > MOST_GIVEN]
        why = f"of {', '.join(f'{count:,}' for count in cut)} calls {MOST_GIVEN:,} are made, evenly spaced"
        left = sum(cut) - len(cut) * MOST_GIVEN
        left_out = Diagnostic(f"{left:,} known call{'s' * (left != 1)} left out", why)
        return replace(self, calls=kept, diagnostics=(*self.diagnostics, *[left_out] * bool(cut)))


MOST_GIVEN = 10_000
"""Number of calls of one source that are made. The original makes each in three environments, which takes half a
minute; 100,000 took more than five minutes."""
GROUP = "codeopt.workloads.function.sources"
NOT_GUESSED = "no calls could be generated from type hints"


def collect(ask: Ask) -> Found:
    """The calls of all sources that do not guess; those come first that know how the function is really called."""
    every = _from_file(ask) + _recorded(ask) + calls_of_tests(ask) + _of_doctests(ask)
    for name in plugins.names(GROUP):
        found = plugins.load(GROUP, name).find(ask)
        every += found if isinstance(found, Found) else Found(((name, tuple(found)),) if found else ())
    return every.with_recorded_ends()


Guesses = tuple[list[Call], tuple[Diagnostic, ...]]
"""Calls, and why there are none."""


def guess(ask: Ask, known: Mapping[Call, str]) -> Guesses:
    """Guesses from type hints; none if five calls are known that can be changed, or are the user's own: of a recorded
    object alone nothing else can be made. known: the source of each known call."""
    if sum(source == "calls_file" or can_be_varied(call) for call, source in known.items()) >= 5:
        return [], ()
    calls, missing = calls_from_hints(ask.harness)
    return calls, () if calls else (Diagnostic(NOT_GUESSED, missing, "type hints, --calls FILE"),)


def _from_file(ask: Ask) -> Found:
    """The calls of a file of the user's with `CALLS`, a list of (args, kwargs), and optionally `BIG` for timing. It
    runs in the sandbox.

    Raises:
        UsageError: The file or the module does not run, or the file has no calls.
    """
    harness = ask.harness
    if harness.target.calls_file is None:
        return Found(())
    run = harness.runner.ask(harness.source, CallBatch((), "inspect", "list", seconds=30.0))
    if run.failure in (Failure.NOT_IMPORTED, Failure.IS_PROGRAM):
        fact, hint = harness.no_answer(run)
        raise UsageError(fact, hint=hint)
    lines = run.answer.lines if run.answer else ()
    if not lines:
        raise UsageError(f"{ask.calls_file or 'the calls that the model wrote'}: {end_of_run(run)}")
    middle = lines.index("") if "" in lines else len(lines)
    calls, big = lines[:middle], lines[middle + 1 :]
    if not calls and not big:
        raise UsageError(f"{ask.calls_file or 'what the model wrote'} defines no CALLS, a list of (args, kwargs)")
    return Found((("calls_file" if ask.calls_file else "model", calls),), big)


def _recorded(ask: Ask) -> Found:
    """The calls that `codeopt record` recorded; empty without a recording, and for one that others brought."""
    if why := left_out(ask.harness.function):
        again = "codeopt record records them again"
        return Found((), diagnostics=(Diagnostic("recorded calls are left out", why, again),))
    calls = recorded_calls(ask.harness.function)
    return Found((("recorded", tuple(calls)),) if calls else ())


def calls_of_tests(ask: Ask) -> Found:
    """The calls that existing tests make, from an earlier run if it has them, and the ids of the tests that pass.

    Tests run in stages until some make a call:
    - tests that the user named, or that may call the function
    - others that import the module
    - others that may reach it through a process or a framework: they are not known to be its tests, and no gap if not
    """
    traced = ask.harness.traced
    if ask.use_tests and traced is not None and traced.tests and (traced.calls or traced.lost):
        return _of_traced("tests", traced)
    near = find_tests(ask.harness) if ask.use_tests else NearestTests()
    found = Found(())
    for paths in (near.calling, near.importing, near.perhaps):
        more = _run(ask, paths, paths is near.calling) if paths else Found(())
        if more.tests or ask.harness.places:
            return more
        if paths is not near.perhaps:
            found = replace(found, diagnostics=found.diagnostics or more.diagnostics)
    return found


def _run(ask: Ask, every: Sequence[str], are_calling: bool) -> Found:
    paths = every if ask.harness.places else every[:MOST_FILES]
    ask.notify(f"running tests in {counted(len(paths), 'file')}")
    found = run_tests(ask.harness, ask.harness.source, paths, functions=[ask.named])
    if not found.passed and len(paths) > 1:  # one that hangs or breaks takes the others with it
        found = run_tests(ask.harness, ask.harness.source, paths[:1], functions=[ask.named])
    short = found.shortfall(len(paths))
    if short and (hint := missing_part(short.cause, ask.harness.function.path, ask.harness.view.module)):
        short = replace(short, hint=hint)
    if not found.passed:
        return Found((), diagnostics=(short,) if short else ())
    missing = [short] if short else []
    # tests that may call the function, and for which there was no room or no time
    name_them = "--tests PATH names those to run"
    if left := every[len(paths) :] if are_calling else ():
        what = f"{counted(len(left), 'test file')} not run, of which {Path(left[0]).name} is one"
        missing.append(Diagnostic(what, f"at most {MOST_FILES} are run, the nearest first", name_them))
    if found.cut:
        missing.append(Diagnostic("some tests not run", f"after {ENOUGH_S:g} s no further one is begun", name_them))
    traced = replace(found.traced, tests=found.passed, diagnostics=tuple(missing))
    if not (traced.calls or traced.lost):  # tests that never call the function are no evidence about it
        what = f"{counted(len(found.passed), 'test')} ran, none calls {ask.harness.function.qualname}"
        return Found((), diagnostics=(Diagnostic(what, hint="--tests PATH names others"), *missing))
    ask.seen(traced)
    return _of_traced("tests", traced)


def _of_doctests(ask: Ask) -> Found:
    """The calls that the module's doctests make."""
    if ">>>" not in ask.harness.source:
        return Found(())
    found = run_tests(ask.harness, ask.harness.source, (), functions=[ask.named], job="doctest")
    diagnostics = (Diagnostic("the doctests did not run", found.error),) if found.error else ()
    return _of_traced("doctests", replace(found.traced, diagnostics=diagnostics))


def _of_traced(source: str, traced: TracedCalls) -> Found:
    calls = ((source, tuple(traced.calls)),) if traced.calls else ()
    return Found(calls, (), traced.tests, traced.diagnostics, unwritten(traced.lost), dict(traced.calls))


# Calls that the project's tests make of a function, stored as recorded calls.
#
# They come from a run of the tests in the sandbox, or from an earlier command's run.


MOST_TESTS = 3
"""Tests that are named."""


@dataclass(frozen=True)
class TestsRecording:
    """Recording of the calls that tests make."""

    path: Path
    """File of the calls."""
    new: int
    kept: int
    """Number of calls kept, of these and earlier ones."""
    tests: tuple[str, ...]
    """Ids of the tests that made them."""
    diagnostics: tuple[Diagnostic, ...]
    lost: int
    """Number of calls that cannot be written down."""

    def lines(self, target: Target) -> list[str]:
        """Summary for people."""
        shown = ", ".join(map(inline, self.tests[:MOST_TESTS])) + ", ..." * (len(self.tests) > MOST_TESTS)
        known = f", {self.kept} with those that were known" if self.kept > self.new else ""
        of_tests = f"{counted(len(self.tests), 'test')} ({shown})"
        lines = [
            f"{counted(self.new, 'new call')} of {target.name} by {of_tests} in {os.path.relpath(self.path)}{known}"
        ]
        lines += [f"{counted(self.lost, 'call')} cannot be written down"] * bool(self.lost)
        return [*lines, *(each.words for each in self.diagnostics)]


def record_tests(target: Target, options: ImproveOptions, session: Session) -> TestsRecording:
    """Record the calls that the tests make.

    Raises:
        UsageError: The function, a test or an option cannot be used.
        NoSandbox: No sandbox runs on this machine.
        ProgramError: The tests make no call.
    """
    options, python = session.find_interpreter(options, target.path)
    function, linked = read_function(target.path, target.name), Linked.of(python)

    def open_with(mounts: Mounts) -> AbstractContextManager[Sandbox]:
        return session.open_sandbox(options, notify=session.console.warn, mounts=mounts)

    with open_harness(function, open_with, options.tests, linked=linked) as harness:
        traces = open_trace_cache(harness, options, session, python, linked)
        harness = replace(harness, traced=traces.calls(function.path, function.qualname))
        found = calls_of_tests(
            Ask(
                harness,
                notify=session.console.progress,
                seen=lambda each: traces.keep_calls(function.path, function.qualname, each),
            )
        )
        module = harness.view.module
    calls = [call for _, texts in found.calls for call in texts]
    if not calls:
        lost = sum(found.dropped.values())
        reasons = [each.words for each in found.diagnostics] or ["no test calls it"]
        if lost:
            reasons = [f"{counted(lost, 'call')} cannot be written down", *(each.words for each in found.diagnostics)]
        what = f"no call of {target.name} by the project's tests can be kept: {'; '.join(reasons)}"
        raise ProgramError(f"{what}; calls of another run: codeopt record {target} -- COMMAND")
    before = set(recorded_calls(function))
    kept = keep_calls(module, function.qualname, calls)
    makers = tuple(dict.fromkeys(found.places[call] for call in calls if call in found.places))
    path = recording_file(module, function.qualname)
    lost = sum(found.dropped.values())
    return TestsRecording(path, len({*calls} - before), kept, makers, found.diagnostics, lost)
