"""Existing tests as evidence: which pass on the original, which calls they make, and whether a draft passes the
same."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.json_codec import JsonCodec
from codeopt.core.traced import TracedCalls
from codeopt.core.words import error_line
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.view import Module
from codeopt.workloads.tests.nearest import NearestTests
from codeopt_sandbox.calls import TestRequest, tests_program
from codeopt_sandbox.outcome import Run, RunLimits

if TYPE_CHECKING:
    from codeopt_sandbox.guest.tests.request import TestJob

MOST_FILES = 8
"""Maximum number of test files that are run for one function."""
MOST_CALLS = 120
"""Maximum number of calls that are taken from them."""
SECONDS = 60.0
ELSEWHERE = "--python PATH runs them in another environment"
NO_PYTEST = "No module named 'pytest'"
"""Python's message where pytest is missing."""
INSTALL = "install pytest in it"
"""Advice in that case."""
ENOUGH_S = 20.0
"""Time after which no further test is begun when calls are recorded, seconds; a draft then has the rest of SECONDS for
the same ones."""
RANK_S = 40.0
"""Time after which no further test is begun under a profiler, seconds."""


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
    calls: Mapping[str, str] = field(default_factory=dict)
    """Test or doctest that made a call first, by call."""
    ranked: tuple[RankedFunction, ...] = ()
    """Functions of some files; only of a "rank" job."""
    error: str = ""
    """Reason why there is no result, or empty."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)
    """Number of calls that cannot be recorded, by reason such as `key: a lambda`."""
    seconds: float = 0.0
    """Wall time of the tests themselves, seconds."""
    recorded: Mapping[str, TracedCalls] = field(default_factory=dict)
    """Calls of the functions that a "rank" job writes down, by `module qualname`."""
    cut: bool = False
    """True if tests were left out for lack of time."""

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
        none = f"{_counted(tests, 'test')} found, none passes"
        what = none if tests else f"{_counted(files, 'test file')} found, none ran"
        if self.error or not reasons:
            without = f"{INSTALL}, or " if NO_PYTEST in self.error else ""
            return Diagnostic(what, self.error or "there is no test in them", without + ELSEWHERE)
        return Diagnostic(what, f"{name}: {why}", ELSEWHERE)

    def _failures(self) -> str:
        """`2 of 8 tests fail on the original, 1 test file cannot be loaded`."""
        tests = sum("::" in each for each in self.failed)
        files = len(self.failed) - tests
        parts = [f"{tests} of {len(self.passed) + tests} tests fail on the original"] * bool(tests)
        parts += [f"{_counted(files, 'test file')} cannot be loaded"] * bool(files)
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
    record: bool = False,
    job: TestJob = "pytest",
    files: Sequence[str] = (),
    functions: Sequence[str] = (),
) -> Tests:
    """Run tests (paths or ids) on a module text in the sandbox.

    files: whose functions a "rank" job times. functions: whose calls it writes down, each as `module qualname`.
    """
    folder = harness.view.inside(harness.view.module.root, harness.sandbox.isolated) if harness.view.copied else ""
    if harness.places:
        first = Path(harness.places[0].at(harness.sandbox.isolated))
        folder = str(first if harness.places[0].path.is_dir() else first.parent)
    seconds = RANK_S if job == "rank" else ENOUGH_S if record else SECONDS
    request = TestRequest(
        job, tuple(tests), folder, MOST_CALLS if record or functions else 0, seconds, tuple(files), tuple(functions)
    )
    limits: RunLimits = replace(harness.sandbox.limits, seconds=SECONDS)
    run = harness.sandbox.run(tests_program(harness.target, request, source), b"", mode="exec", limits=limits)
    try:
        found = JsonCodec().read(Tests, json.loads(run.stdout.decode("utf-8", "replace")))
        return replace(found, error=_error(found.error, run))
    except ValueError:
        last = error_line(run.stderr.decode("utf-8", "replace"))
        return Tests(error=run.stop_detail or last or f"exit status {run.exit}")


def _error(error: str, run: Run) -> str:
    """Message of what ended pytest before it could report: a conftest.py that cannot be imported is only printed."""
    printed = re.findall(r"^E +(.+)$", run.stderr.decode("utf-8", "replace"), re.MULTILINE)
    return f"{error}: {printed[-1]}" if error and printed else error


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def failing(harness: FunctionHarness, draft: str, ids: Sequence[str]) -> str:
    """Tests that pass on the original and that a draft does not pass, in one line; empty when it passes all."""
    return run_tests(harness, draft, ids).problem(ids)
