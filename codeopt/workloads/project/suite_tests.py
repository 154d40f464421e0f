"""The project's own tests on a copy with edits: whether a draft passes those that the original passes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.workloads.project.edits import commented, edits_of
from codeopt.workloads.project.reached import ImpactedTests
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.test_runs import TestResults, TestRunner, run_tests
from codeopt_sandbox.caveat import Caveat, CaveatKind

SECONDS = 120.0
"""Time of the chosen tests of one round."""
ROUND_S = 30.0
"""Time limit of the tests of a round, s. If all tests take longer, the nearest ones run."""
MOST_IDS = 400
"""Maximum number of tests that are then named to pytest."""
MOST_NAMED = 4
"""Maximum number of failing tests that a line names after the first."""
MOST_LISTED = 12
"""Maximum number of failing tests that a model sees."""
MORE_S = 60.0
"""Least time that the tests of one run may take with a draft."""
MORE = 4
"""Time limit of the tests on a candidate, as a multiple of their time on the original."""


@dataclass(frozen=True)
class TestBatch:
    """Test files that are run together."""

    __test__ = False

    paths: tuple[str, ...]
    passed: tuple[str, ...]
    """Tests that the original passes."""
    seconds: float
    """Time that they take with the original."""
    cut: bool = False
    """Ended before the last one, with the original."""


@dataclass(frozen=True)
class ProjectTests:
    """Tests of the project that the original passes."""

    batches: tuple[TestBatch, ...] = ()
    """The nearest to the hot code first."""
    runner: TestRunner = TestRunner.PYTEST
    options: tuple[str, ...] = ()
    """Arguments of the runner, in addition to the files."""
    lost: tuple[str, ...] = ()
    """Tests that fail on the original, and count for nothing."""
    shortfall: Diagnostic | None = None
    reached: ImpactedTests = ImpactedTests()
    """Tests by function. Empty if all tests are quick."""
    unchosen: Diagnostic | None = None
    """Reason why a round runs all tests, although they take long."""

    @property
    def passed(self) -> tuple[str, ...]:
        """Tests that a draft has to pass."""
        return tuple(dict.fromkeys(name for batch in self.batches for name in batch.passed))

    @property
    def failed(self) -> int:
        return len(self.lost)

    @property
    def words(self) -> str:
        """For people."""
        if not self.batches and self.shortfall:
            return f"no tests ({self.shortfall.cause})"
        failing = f", {self.failed} fail on the original and count for nothing" if self.failed else ""
        cut = f" ({self.shortfall.message})" if self.shortfall else ""
        return f"{len(self.passed)} tests{cut}{failing}"


@dataclass(frozen=True)
class SuiteFinding:
    """Finding of the tests about a draft."""

    wrong: str = ""
    """First test that passes with the original and fails with the candidate. Empty if all pass."""
    detail: str = ""
    """Traceback and variables of that test, and the names of others that fail."""
    caveats: tuple[Caveat, ...] = ()
    """Tests that were set aside."""


def failing_reached(
    runs: CommandRuns,
    draft: Revision,
    tests: ProjectTests,
    original: Revision,
    run_all: Callable[[ProjectTests], SuiteFinding],
) -> SuiteFinding:
    """Run the tests that can see the change. If these are unknown, run the nearest.

    run_all: runs tests on the draft.
    """
    ids = tests.reached.by(edits_of(original, draft), original, draft)
    chosen = frozenset(ids or ())
    seen = [name for name in tests.passed if name in chosen]
    if ids is None or len(ids) > MOST_IDS or not (seen or tests.reached.whole):
        return run_all(replace(tests, batches=_near(tests.batches)))
    if not seen:
        return SuiteFinding()
    results = run_tests(runs, draft, tests.runner, (*tests.options, *ids), SECONDS)
    return SuiteFinding() if all(map(results.states.get, seen)) else run_all(tests)


def _near(batches: Sequence[TestBatch]) -> tuple[TestBatch, ...]:
    """The first ones, as far as they fit a round."""
    kept, spent = 0, 0.0
    while kept < len(batches) and (not kept or spent + batches[kept].seconds <= ROUND_S):
        spent += batches[kept].seconds
        kept += 1
    return tuple(batches[:kept])


def failing(runs: CommandRuns, draft: Revision, tests: ProjectTests, original: Revision) -> SuiteFinding:
    """Run all tests that the original passes on a draft, up to the first that fails."""
    caveats: list[Caveat] = []
    for batch in tests.batches:
        words = (*tests.options, *batch.paths)
        limit = max(MORE_S, MORE * batch.seconds)
        results = run_tests(runs, draft, tests.runner, words, limit)
        lost = [name for name in batch.passed if not results.states.get(name)]
        unseen = [name for name in lost if name not in results.states]
        if results.cut and batch.cut and len(unseen) == len(lost) < len(batch.passed) / 2:
            continue  # also the original's tests were cut, a few tests later
        if unseen and not results.cut:
            again = run_tests(runs, UNCHANGED, tests.runner, words, limit)
            lost = steadily_lost(lost, results.states, batch.passed, again.states)
        if lost and not unseen:
            lost, aside = _set_aside(runs, draft, tests, batch, original, lost)
            caveats += aside
        if lost:
            return SuiteFinding(_words(lost, results), _detail(lost, results))
    return SuiteFinding(caveats=tuple(caveats))


def _set_aside(
    runs: CommandRuns, draft: Revision, tests: ProjectTests, batch: TestBatch, original: Revision, lost: Sequence[str]
) -> tuple[list[str], list[Caveat]]:
    """Set aside tests that depend on the source text or its line numbers.

    Such a test also fails if the original gets a comment line in each changed function.
    """
    noted = commented(original, edits_of(original, draft))
    if noted == original:
        return list(lost), []
    results = run_tests(runs, noted, tests.runner, (*tests.options, *batch.paths), max(MORE_S, MORE * batch.seconds))
    pinned = [name for name in lost if results.states.get(name) is False]
    words = "a line of comment alone makes it fail"
    found = [Caveat(CaveatKind.EVIDENCE, "", "", f"test {name} is set aside: {words}", words) for name in pinned]
    return [name for name in lost if name not in pinned], found


def _words(lost: Sequence[str], results: TestResults) -> str:
    """The first with its reason, the names of some others."""
    first, others = lost[0], lost[1:]
    more = f"; so {'does' if len(others) == 1 else 'do'} {', '.join(others[:MOST_NAMED])}" if others else ""
    more += f" and {len(others) - MOST_NAMED} more" if len(others) > MOST_NAMED else ""
    if first in results.states:
        why = results.reason(first)
        return f"test {first} fails{f' ({why})' if why else ''}{more}"
    return f"test {first} fails ({results.run.stop_detail or 'it was not run'}){more}"


def _detail(lost: Sequence[str], results: TestResults) -> str:
    """The first with its traceback and variables, the names of others."""
    first, others = lost[0], lost[1:]
    more = f" and {len(others) - MOST_LISTED} more" if len(others) > MOST_LISTED else ""
    named = [f"These fail also: {', '.join(others[:MOST_LISTED])}{more}"] if others else []
    return "\n".join([f"{first}:", results.detail(first), *named])


def steadily_lost(
    lost: Sequence[str], results: Mapping[str, bool], passed: Sequence[str], again: Mapping[str, bool]
) -> list[str]:
    """Return the lost tests that the original names the same each time.

    Names of parametrized tests can vary, for example if parameters come from a set. Those of a function are ignored if
    as many of them pass as before. `again` is another run of the original.
    """
    good = [name for name, passes in again.items() if passes]
    changing = {_function(name) for name in set(passed).symmetric_difference(good)}
    before, now = Counter(map(_function, passed)), Counter(_function(name) for name in results if results[name])
    return [n for n in lost if _function(n) not in changing or now[_function(n)] < before[_function(n)]]


def _function(name: str) -> str:
    """Name of the test without its parameters."""
    return name.partition("[")[0]


def collected_files(tests: ProjectTests, paths: Iterable[str]) -> Iterator[str]:
    """The files, of some by their paths, whose tests are run; examples in docstrings make no test file."""
    homes = {
        name.partition("::")[0]
        for name in (*tests.passed, *tests.lost)
        if "." not in _function(name).partition("::")[2]
    }
    for path in paths:
        dotted = path.removesuffix(".py").replace("/", ".")
        if path in homes or any(home == dotted or home.startswith(f"{dotted}.") for home in homes):
            yield path
