"""The project's tests, run on the original when the first candidate is checked: the nearest to the hot code first.

They run earlier if nothing else can judge a candidate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.revision import Revision
from codeopt.core.words import counted
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.function.recording.instrumented_run import Instrument
from codeopt.workloads.project.event_log import LEAST_S, watched_run
from codeopt.workloads.project.new_tests import NewTests, run_new_tests
from codeopt.workloads.project.reached import read_reach
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.suite_cache import SuiteCache, open_suite_cache
from codeopt.workloads.project.suite_tests import ProjectTests, SuiteFinding, TestBatch, failing, failing_reached
from codeopt.workloads.project.test_files import find_test_files, nearest_first
from codeopt.workloads.project.test_runs import WITHOUT_OPTIONS, TestResults, TestRunner, as_tests, run_tests

SECONDS = 120.0
"""Time for the tests of the original, the nearest first; those that were not reached count for nothing."""
SLOW_S = 10.0
"""Time of a suite from which on it is found out which tests reach which functions, seconds."""
FEW = 60
"""Number of test files that are run all at once."""
AT_ONCE = 8
"""Number of those that are run first of a larger suite; each further run has twice as many."""
NOT_RUN = "the project's tests are not run"
REACH = Instrument("tests.project_reach")


@dataclass
class ProjectSuite:
    """Test files of a project, and what is known of their tests so far."""

    runs: CommandRuns
    original: Revision
    found: ProjectTests = field(default_factory=ProjectTests)
    paths: Sequence[str] = ()
    """Test files, the nearest first."""
    ways: list[tuple[TestRunner, tuple[str, ...]]] = field(default_factory=list)
    """Runners with their options, to be tried until one has tests that pass."""
    waiting: list[str] = field(default_factory=list)
    """Paths that were not run yet by the runner."""
    left_s: float = SECONDS
    said: str = ""
    """Last words of the first run."""
    traced: bool = False
    """True if the functions that each test calls are known, or are not needed."""
    checked: dict[tuple[Revision, tuple[TestBatch, ...]], SuiteFinding] = field(default_factory=dict)
    """Findings about drafts by the batches that were run."""
    new_tests: NewTests | None = None
    """Results of the tests that only the other version has. None until they ran, or without one."""
    kept: SuiteCache = SuiteCache()
    """Results of earlier sessions."""

    @property
    def words(self) -> str:
        """For people."""
        if not self.waiting:
            return self.found.words
        return f"{counted(len(self.waiting), 'test file')} to run once there is a candidate"

    def complete(self) -> ProjectTests:
        """Run them, and find out which of them reach what, where they take long. What is kept of both is not run."""
        if not self.traced and (known := self.kept.tests()):
            self.found, self.traced = known, True
            self.waiting.clear()
            self.ways.clear()
        self._run()
        while not self.found.passed and self._switch():
            self._run()
        if not self.found.passed and not self.found.shortfall:
            self.found = ProjectTests(shortfall=Diagnostic(NOT_RUN, f"none passes: {self.said}"))
        if not self.traced:
            self.traced = True
            plain = sum(batch.seconds for batch in self.found.batches)
            if plain >= SLOW_S and self.found.runner is TestRunner.PYTEST and not self.found.shortfall:
                self.found = _with_reached(self.runs, self.original, self.found, plain)
            self.kept.keep_tests(self.found)
        return self.found

    def failing(self, draft: Revision, *, near: bool = False) -> SuiteFinding:
        """Run the tests on a draft, the same tests once. near: if they take long, those that can see the change."""
        tests = self.complete()
        if near:
            return failing_reached(self.runs, draft, tests, self.original, partial(self._once, draft))
        return self._once(draft, tests)

    def _once(self, draft: Revision, tests: ProjectTests) -> SuiteFinding:
        key = draft, tests.batches
        if key not in self.checked:
            known = self.kept.passed(draft, tests)
            self.checked[key] = known or failing(self.runs, draft, tests, self.original)
            if known is None:
                self.kept.keep_passed(draft, tests, self.checked[key])
        return self.checked[key]

    def of_new(self) -> NewTests | None:
        """Run the tests that only the other version has. None if it has no such files."""
        self.new_tests = run_new_tests(self.runs, self.found)
        return self.new_tests

    def _switch(self) -> bool:
        """Start again with the next runner. Returns False if no runner or no time is left."""
        if not self.ways or self.left_s <= 0:
            return False
        runner, options = self.ways.pop(0)
        self.found = ProjectTests(runner=runner, options=options)
        self.waiting = list(self.paths)
        return True

    def _run(self) -> None:
        """Run what waits, as far as there is time."""
        while self.waiting and self.left_s > 0:
            part = self._next_part()
            words = (*self.found.options, *part)
            results = run_tests(self.runs, self.original, self.found.runner, words, self.left_s, first=True)
            self.left_s -= results.run.active_s
            self.said = self.said or results.last_words
            self._keep(part, results, results.cut)
            del self.waiting[: len(part)]
            if results.cut or self.left_s <= 0 or not (results.states or self.found.batches):
                self._stop(results)

    def _next_part(self) -> list[str]:
        """Return all files if they are few, as each run imports the project again. Otherwise return the next part."""
        return self.waiting[: AT_ONCE << len(self.found.batches)] if len(self.paths) > FEW else list(self.waiting)

    def _keep(self, paths: Sequence[str], results: TestResults, cut: bool) -> None:
        """Add what some of the files of a run showed."""
        lost = dict.fromkeys((*self.found.lost, *(name for name, good in results.states.items() if not good)))
        batch = TestBatch(tuple(paths), results.passed, results.run.active_s, cut)
        batches = (*self.found.batches, batch) if batch.passed else self.found.batches
        self.found = replace(self.found, batches=batches, lost=tuple(lost))

    def _stop(self, results: TestResults) -> None:
        """Run no further tests. If some were run, add a diagnostic."""
        left_out = bool(self.waiting) or results.cut
        self.waiting.clear()
        if left_out and self.found.batches:
            why = f"{results.run.stop_detail or 'their time is up'}; --tests names those that matter"
            said = Diagnostic(f"of {len(self.paths)} test files the nearest were run", why)
            self.found = replace(self.found, shortfall=said)


def open_suite(
    runs: CommandRuns, original: Revision, request: WorkloadRequest, hot: Sequence[str] = (), *, needed: bool = True
) -> ProjectSuite:
    """Find the named tests, or all tests of the project.

    Args:
        runs: Runs of the command.
        original: The project before the change.
        request: Request with the options, which name the tests to run, and the session, which may keep their results.
        hot: Files with the most time, the hottest first.
        needed: Nothing else can check a candidate: the tests are run at once.
    """
    options = request.options
    if options.no_tests:
        return ProjectSuite(runs, original, ProjectTests(shortfall=Diagnostic(NOT_RUN, "--no-tests")), traced=True)
    files = runs.project.contents
    named = named_tests(options.tests, (runs.project.root,))
    paths = named or nearest_first(find_test_files(files, runs.command.words), files, hot)
    if not paths:
        missing = Diagnostic(NOT_RUN, "it has no test_*.py")
        return ProjectSuite(runs, original, ProjectTests(shortfall=missing), traced=True)
    (runner, more), *ways = _ways(files)
    begun = ProjectTests(runner=runner, options=more)
    two = runs.other is not None  # versions are judged once, by all tests
    kept = open_suite_cache(request, runs, paths, [(runner, more), *ways])
    suite = ProjectSuite(runs, original, begun, paths, ways, list(paths), traced=two, kept=kept)
    if needed:
        suite.complete()
    return suite


def _ways(files: Mapping[str, bytes]) -> Iterator[tuple[TestRunner, tuple[str, ...]]]:
    """Runners to try until one has tests that pass."""
    if b"django" in files.get("manage.py", b""):
        yield TestRunner.MANAGE, ()
    yield TestRunner.PYTEST, ()
    yield TestRunner.PYTEST, WITHOUT_OPTIONS  # the project's own options may ask for plug-ins that are not here
    if any(b"TestCase" in content for path, content in files.items() if path.endswith(".py")):
        yield TestRunner.UNITTEST, ()


def named_tests(tests: Sequence[Path], roots: Sequence[Path]) -> list[str]:
    """Tests that the user names, relative to the first of some folders that they lie in; others are left out."""
    found = []
    for path in (each.resolve() for each in tests):
        root = next((each for each in roots if each in path.parents), None)
        found += [path.relative_to(root).as_posix()] if root else []
    return found


def _with_reached(runs: CommandRuns, draft: Revision, tests: ProjectTests, plain_s: float) -> ProjectTests:
    """Tests with what they reach, as far as a run under a hook on each call gets. plain_s: seconds without the hook."""
    seconds = min(runs.limits.seconds, runs.load * max(LEAST_S, 2 * plain_s))
    words = (*tests.options, *(path for batch in tests.batches for path in batch.paths))
    limits = replace(runs.limits, seconds=seconds, memory_mib=runs.sandbox.most_memory_mib)
    watched = watched_run(as_tests(runs, tests.runner, words), draft, REACH, limits)
    rows = ((str(test), list(map(str, places))) for test, places in watched.of("reach"))
    whole = watched.run.stop is None and watched.run.exit in (0, 1)
    found = read_reach(rows, whole)
    if not found.tests:
        why = watched.run.stop_detail or f"exit status {watched.run.exit}"
        said = "a round asks of a draft the nearest tests, not those it can reach"
        return replace(tests, unchosen=Diagnostic(said, why))
    return replace(tests, reached=found)
