"""Existing tests as evidence: which pass on the original, which calls they make, and whether a draft passes the
same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.analysis.nodes import first_line
from codeopt.core.errors import Diagnostic
from codeopt.core.json_codec import JsonCodec
from codeopt.core.program import TracedCalls, Traces
from codeopt.core.words import counted, end_of_run
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.view import Module, locate
from codeopt.workloads.source.functions import Function, read_functions
from codeopt.workloads.tests import NearestTests
from codeopt_sandbox.calls import TestRequest, tests_program
from codeopt_sandbox.outcome import RunLimits

if TYPE_CHECKING:
    from codeopt_sandbox.guest.request import TestJob


MOST_FILES = 8
"""Maximum number of test files that are run for one function."""
SECONDS = 60.0
ELSEWHERE = "--python PATH runs them in another environment"
INSTALL = "install pytest in it"
"""Advice in that case."""
ENOUGH_S = 20.0
"""Time after which no further test is begun when calls are recorded, seconds; a draft then has the rest of SECONDS for
the same ones."""


@dataclass(frozen=True)
class RankedFunction:
    """A function under the tests."""

    file: str
    line: int
    seconds: float
    """Time with all that it calls, seconds."""
    own_s: float
    """Time of its own lines and the built-ins that they call, seconds."""
    tests: tuple[str, ...]
    """Ids of the tests that call it."""


@dataclass(frozen=True)
class Tests:
    """One run of tests."""

    passed: tuple[str, ...] = ()
    failed: Mapping[str, str] = field(default_factory=dict)
    ranked: tuple[RankedFunction, ...] = ()
    """Functions of some files, if they were timed."""
    error: str = ""
    """Reason why there is no result, or empty."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    """Wall time of the tests themselves, seconds."""
    recorded: Mapping[str, TracedCalls] = field(default_factory=dict)
    """Calls of functions by `module qualname`: what calls, and how many cannot be written down, by reason."""
    cut: bool = False
    """True if tests were left out for lack of time."""

    @property
    def traced(self) -> TracedCalls:
        """Calls of the only function whose calls were to be written down."""
        return next(iter(self.recorded.values()), TracedCalls())

    def not_passed(self, ids: Sequence[str]) -> list[str]:
        """Tests of these ids that failed or were not run."""
        return [name for name in ids if name not in self.passed]

    def failure(self, test: str) -> str:
        """Return in one line why a test did not pass."""
        file = test.partition("::")[0]
        return f"test {test} fails: {self.failed.get(test) or self.failed.get(file) or 'it was not run'}"

    def problem(self, ids: Sequence[str]) -> str:
        """Return in one line why some of these tests did not pass. Empty if all passed."""
        if self.error:
            return f"the tests do not run: {self.error}"
        return self.failure(lost[0]) if (lost := self.not_passed(ids)) else ""

    def shortfall(self, files: int) -> Diagnostic | None:
        """Return a diagnostic if some tests do not count. None if all passed. files: number of test files."""
        reasons = {**self.skipped, **self.failed}
        if self.passed and not self.failed:
            return None
        name, why = next(iter({**self.failed, **self.skipped}.items()), ("", ""))
        if self.passed:
            return Diagnostic(
                f"{self._failures()} and {'counts' if len(self.failed) == 1 else 'count'} for nothing", f"{name}: {why}"
            )
        tests = sum("::" in each for each in reasons)
        none = f"{counted(tests, 'test')} found, none passes"
        what = none if tests else f"{counted(files, 'test file')} found, none ran"
        if self.error or not reasons:
            # Python's message where pytest is missing
            without = f"{INSTALL}, or " if "No module named 'pytest'" in self.error else ""
            return Diagnostic(what, self.error or "there is no test in them", without + ELSEWHERE)
        return Diagnostic(what, f"{name}: {why}", ELSEWHERE)

    def _failures(self) -> str:
        """`2 of 8 tests fail on the original, 1 test file cannot be loaded`."""
        tests = sum("::" in each for each in self.failed)
        files = len(self.failed) - tests
        parts = [f"{tests} of {len(self.passed) + tests} tests fail on the original"] * bool(tests)
        parts += [f"{counted(files, 'test file')} cannot be loaded"] * bool(files)
        return ", ".join(parts)


def find_tests(harness: FunctionHarness, modules: Sequence[Module] = ()) -> NearestTests:
    """Test files for the function, or for all code of some modules, by their paths as the sandbox sees them.

    If the user named tests, these are they, and they count as calling.
    """
    isolated, view = harness.sandbox.isolated, harness.view
    if harness.places:
        return NearestTests(tuple(place.at(isolated) for place in harness.places))
    if not view.copied:
        return NearestTests()
    tests = harness.project_tests
    found = tests.nearest(modules) if modules else tests.nearest([view.module], harness.function.qualname)
    inside = (
        tuple(view.inside(view.module.root / path, isolated) for path in group)
        for group in (found.calling, found.importing, found.perhaps)
    )
    return NearestTests(*inside)


def run_tests(
    harness: FunctionHarness,
    source: str,
    tests: Sequence[str],
    *,
    job: TestJob = "pytest",
    files: Sequence[str] = (),
    functions: Sequence[str] = (),
) -> Tests:
    """Run tests (paths or ids) on a module text in the sandbox.

    files: whose functions are timed. functions: whose calls are written down, each as `module qualname`.
    """
    folder = harness.view.inside(harness.view.module.root, harness.sandbox.isolated) if harness.view.copied else ""
    if harness.places:
        first = Path(harness.places[0].at(harness.sandbox.isolated))
        folder = str(first if harness.places[0].path.is_dir() else first.parent)
    # time after which no further test is begun under a profiler, seconds
    seconds = 40.0 if files else ENOUGH_S if functions else SECONDS
    # 120: maximum number of calls that are taken from them
    request = TestRequest(job, tuple(tests), folder, 120, seconds, tuple(files), tuple(functions))
    limits: RunLimits = replace(harness.sandbox.limits, seconds=SECONDS)
    run = harness.sandbox.run(tests_program(harness.target, request, source), b"", mode="exec", limits=limits)
    try:
        found = JsonCodec().read(Tests, json.loads(run.stdout.decode("utf-8", "replace")))
        # a conftest.py that cannot be imported ends pytest before it could report, and is only printed
        printed = re.findall(r"^E +(.+)$", run.stderr.decode("utf-8", "replace"), re.MULTILINE)
        return replace(found, error=f"{found.error}: {printed[-1]}") if found.error and printed else found
    except ValueError:
        return Tests(error=end_of_run(run))


def failing(harness: FunctionHarness, draft: str, ids: Sequence[str]) -> str:
    """Tests that pass on the original and that a draft does not pass, in one line; empty when it passes all."""
    return run_tests(harness, draft, ids).problem(ids)


# The functions of modules by the time that they take under their tests.


def any_function(path: Path) -> Function | None:
    """Return any function that can be improved: it is needed to open the module. None without such a function."""
    return next(read_functions(path).usable(), None)


@dataclass(frozen=True)
class Times:
    """Seconds of the functions of modules under their tests."""

    seconds: Mapping[Path, Mapping[str, float]]
    """Seconds by module and qualified name, with those of all that the function calls; the longest first."""
    total: float
    """Seconds of the tests themselves."""
    tests: int
    shortfall: Diagnostic | None = None
    """Diagnostic if the tests did not run, or not all."""
    own: Mapping[tuple[Path, str], float] = field(default_factory=dict)
    """Seconds of a function's own lines and the built-ins that they call."""
    traces: Traces = field(default_factory=dict)
    """Calls of functions that were asked for, and the tests that make them."""
    cut: bool = False
    """True if tests that may call the functions were left out, as they were too many or too slow."""
    reused_from: float | None = field(default=None, compare=False)
    """Time of the earlier run that they are of, seconds since the epoch; None: the tests were run now."""


def function_times(
    harness: FunctionHarness, paths: Sequence[Path], wanted: Sequence[tuple[Path, str]] = (), linked: Linked = NO_LINKS
) -> Times:
    """Run the tests of modules of one project under a profiler, once; empty without tests.

    wanted: functions, by file and qualified name, whose calls are written down on the way.
    """
    modules = [locate(path, linked) for path in paths]
    tests = find_tests(harness, modules).reaching
    # number of test files that are run for up to five modules; eight more for each further module
    most = max(40, MOST_FILES * len(modules))
    if not tests:
        what = f"no test was found for {', '.join(module.name for module in modules[:3])}{', ...' * (len(modules) > 3)}"
        return Times({}, 0.0, 0, Diagnostic(what, hint="--tests PATH names some"))
    isolated = harness.sandbox.isolated
    inside = {harness.view.inside(module.path, isolated): path for module, path in zip(modules, paths, strict=True)}
    names_of = {path: module.name for path, module in zip(paths, modules, strict=True)}
    asked = {f"{names_of[path]} {name}": (path, name) for path, name in wanted if "." not in name}
    # maximum number of functions whose calls one run of tests writes down
    functions = list(asked)[:40]
    found = run_tests(harness, harness.source, tests[:most], files=list(inside), functions=functions)
    names = {file: _names(path) for file, path in inside.items()}
    ranked: dict[Path, dict[str, float]] = {}
    own: dict[tuple[Path, str], float] = {}
    reached: dict[tuple[Path, str], tuple[str, ...]] = {}
    for row in sorted(found.ranked, key=lambda row: -row.seconds):
        if name := names[row.file].get(row.line):
            path = inside[row.file]
            ranked.setdefault(path, {})[name] = row.seconds
            own[path, name], reached[path, name] = row.own_s, row.tests
    traces = {
        (path.resolve(), name): replace(found.recorded[key], tests=_judging(found, reached[path, name]))
        for key, (path, name) in asked.items()
        if key in found.recorded and reached.get((path, name))
    }
    shortfall = found.shortfall(len(tests[:most]))
    return Times(ranked, found.seconds, len(found.passed), shortfall, own, traces, found.cut or len(tests) > most)


def _judging(found: Tests, calling: Sequence[str]) -> tuple[str, ...]:
    """Return the tests that a candidate has to pass: those that call the function.

    If all tests are quick, it is all of the same files, as one may see the change without a call in this process.
    """
    # time of tests from which on a draft has to pass only those that call the function, seconds
    if found.seconds > 3.0:
        wanted = set(calling)
        return tuple(each for each in found.passed if each in wanted)
    files = {test.partition("::")[0] for test in calling}
    return tuple(each for each in found.passed if each.partition("::")[0] in files)


def _names(path: Path) -> dict[int, str]:
    return {first_line(node): name for name, nodes in read_functions(path).named.items() for node in nodes}
