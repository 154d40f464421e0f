"""The project's own tests on a copy with edits: which the original passes, and whether a draft passes the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.workloads.project.commented import commented
from codeopt.workloads.project.edits import edits_of
from codeopt.workloads.project.reached import ImpactedTests, read_reach
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.test_files import find_test_files, nearest_first
from codeopt.workloads.project.test_runs import WITHOUT_OPTIONS, TestResults, TestRunner, as_tests, run_tests
from codeopt.workloads.project.watch import LEAST_S, LONGER, Watcher, watched_run
from codeopt_sandbox.caveat import Caveat, Subject

SECONDS = 120.0
"""Time for the tests of the original, the nearest first; those that were not reached count for nothing."""
ROUND_S = 30.0
"""Time of the tests that a draft of a round is asked to pass, where all take longer: the nearest of them."""
SLOW_S = 3.0
"""Time of a suite from which on it is found out which tests reach which functions, seconds."""
MOST_IDS = 400
"""Maximum number of tests that are then named to pytest."""
FEW = 60
"""Number of test files that are run all at once."""
AT_ONCE = 8
"""Number of those that are run first of a larger suite; each further run has twice as many."""
MOST_NAMED = 4
"""Maximum number of failing tests that are named beside the first, in a line."""
MOST_LISTED = 12
"""The same for a proposer."""
MORE_S = 60.0
"""Least time that the tests of one run may take with a draft."""
MORE = 4
"""The same as a multiple of what they take with the original."""
REACH = Watcher("project_reach", "install")


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
    """How the runner is called, beside the files."""
    lost: tuple[str, ...] = ()
    """Tests that fail on the original, and count for nothing."""
    shortfall: Diagnostic | None = None
    reached: ImpactedTests = ImpactedTests()
    """By function; nothing where all tests are quick."""
    unchosen: Diagnostic | None = None
    """Why a round runs all of them, although they take long."""

    @property
    def passed(self) -> tuple[str, ...]:
        """Tests that a draft has to pass."""
        return tuple(dict.fromkeys(name for batch in self.batches for name in batch.passed))

    @property
    def failed(self) -> int:
        """Number of tests that fail on the original."""
        return len(self.lost)

    @property
    def words(self) -> str:
        """For people."""
        if not self.batches and self.shortfall:
            return f"no tests ({self.shortfall.why})"
        failing = f", {self.failed} fail on the original and count for nothing" if self.failed else ""
        cut = f" ({self.shortfall.what})" if self.shortfall else ""
        return f"{len(self.passed)} tests{cut}{failing}"


@dataclass(frozen=True)
class SuiteFinding:
    """Finding of the tests about a draft."""

    wrong: str = ""
    """Which test it does not pass that the original passes; empty where it passes all."""
    detail: str = ""
    """Traceback and variables of that test, and the names of others that fail."""
    caveats: tuple[Caveat, ...] = ()
    """Tests that were set aside."""


def find_tests(
    runs: CommandRuns, draft: Revision, options: ImproveOptions, hot: Sequence[str] = ()
) -> ProjectTests:  # fmt: skip
    """Run those that are named, else all that the project has. hot: its files that the time goes to, hottest first."""
    if options.no_tests:
        return ProjectTests(shortfall=Diagnostic("the project's tests are not run", "--no-tests"))
    files = runs.project.contents
    named = named_tests(options.tests, (runs.project.root,))
    paths = named or nearest_first(find_test_files(files, runs.command.words), files, hot)
    if not paths:
        return ProjectTests(shortfall=Diagnostic("the project's tests are not run", "it has no test_*.py"))
    said = ""
    for runner, more in _ways(files):
        found, last = _run_all(runs, draft, runner, more, paths)
        if found.passed:
            quick = sum(batch.seconds for batch in found.batches) < SLOW_S or runner is not TestRunner.PYTEST
            quick = quick or runs.other is not None  # which is judged once, by all of them
            return found if quick or found.shortfall else _with_reached(runs, draft, found)
        said = said or last.last_words
        if last.cut:
            break
    return ProjectTests(shortfall=Diagnostic("the project's tests are not run", f"none passes: {said}"))


def _ways(files: Mapping[str, bytes]) -> Iterator[tuple[TestRunner, tuple[str, ...]]]:
    """Runners to try until one has tests that pass."""
    if b"django" in files.get("manage.py", b""):
        yield TestRunner.MANAGE, ()
    yield TestRunner.PYTEST, ()
    yield TestRunner.PYTEST, WITHOUT_OPTIONS  # the project's own options may ask for plug-ins that are not here
    if any(b"TestCase" in content for path, content in files.items() if path.endswith(".py")):
        yield TestRunner.UNITTEST, ()


def _run_all(
    runs: CommandRuns, draft: Revision, runner: TestRunner, more: tuple[str, ...], paths: Sequence[str]
) -> tuple[ProjectTests, TestResults]:
    """Run all in time, the nearest first, and what the last run of them said."""
    batches: list[TestBatch] = []
    lost: dict[str, None] = {}
    left, asked = SECONDS, 0
    for part in _parts(paths):
        results = run_tests(runs, draft, runner, (*more, *part), left)
        left -= results.run.wall_s
        asked += len(part)
        lost |= dict.fromkeys(name for name, good in results.states.items() if not good)
        if results.passed:
            batches.append(TestBatch(tuple(part), results.passed, results.run.wall_s, results.cut))
        elif not results.states:
            break
        if results.cut or left <= 0:
            break
    cut = results.cut or asked < len(paths)
    why = f"{results.run.stop_detail or 'their time is up'}; --tests names those that matter"
    shortfall = Diagnostic(f"of {len(paths)} test files the nearest were run", why) if cut and batches else None
    return ProjectTests(tuple(batches), runner, more, tuple(lost), shortfall), results


def _parts(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """All at once where they are few: each run imports the project anew."""
    size, at = AT_ONCE if len(paths) > FEW else len(paths), 0
    while at < len(paths):
        yield paths[at : at + size]
        at, size = at + size, 2 * size


def _with_reached(runs: CommandRuns, draft: Revision, tests: ProjectTests) -> ProjectTests:
    """Without where they do not end under a hook on each call as they do without."""
    plain = sum(batch.seconds for batch in tests.batches)
    seconds = min(SECONDS, runs.limits.seconds, max(LEAST_S, plain * LONGER))
    words = (*tests.options, *(path for batch in tests.batches for path in batch.paths))
    limits = replace(runs.limits, seconds=seconds, memory_mib=runs.sandbox.most_memory_mib)
    watched = watched_run(as_tests(runs, tests.runner, words), draft, REACH, limits)
    if watched.run.stop is not None or watched.run.exit not in (0, 1):
        why = watched.run.stop_detail or f"exit status {watched.run.exit}"
        return replace(tests, unchosen=Diagnostic("each draft is asked to pass all tests, not those it can reach", why))
    rows = ((str(test), list(map(str, places))) for test, places in watched.of("reach"))
    return replace(tests, reached=read_reach(rows))


def named_tests(tests: Sequence[Path], roots: Sequence[Path]) -> list[str]:
    """Tests that the user names, relative to the first of some folders that they lie in; others are left out."""
    found = []
    for path in (each.resolve() for each in tests):
        root = next((each for each in roots if each in path.parents), None)
        found += [path.relative_to(root).as_posix()] if root else []
    return found


def failing_reached(runs: CommandRuns, draft: Revision, tests: ProjectTests, original: Revision) -> SuiteFinding:
    """The same of those tests that can see what a draft changes, as far as that is known, else of the nearest."""
    ids = tests.reached.by(edits_of(original, draft), original, draft)
    if ids is None or len(ids) > MOST_IDS:
        return failing(runs, draft, replace(tests, batches=_near(tests.batches)), original)
    seen = [name for name in tests.passed if name in set(ids)]
    if not seen:
        return SuiteFinding()
    results = run_tests(runs, draft, tests.runner, (*tests.options, *ids), SECONDS)
    return SuiteFinding() if all(map(results.states.get, seen)) else failing(runs, draft, tests, original)


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
            continue  # the original's were cut, too, a few tests later
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
    """Without tests that pin the text or the lines of the source: those that fail, too, when the original has but a
    line of comment more in each function that is changed."""
    noted = commented(original, edits_of(original, draft))
    if noted == original:
        return list(lost), []
    results = run_tests(runs, noted, tests.runner, (*tests.options, *batch.paths), max(MORE_S, MORE * batch.seconds))
    pinned = [name for name in lost if results.states.get(name) is False]
    words = "a line of comment alone makes it fail"
    found = [Caveat(Subject.EVIDENCE, "", "", f"test {name} is set aside: {words}", words) for name in pinned]
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
    named = [f"These fail, too: {', '.join(others[:MOST_LISTED])}{more}"] if others else []
    return "\n".join([f"{first}:", results.detail(first), *named])


def steadily_lost(
    lost: Sequence[str], results: Mapping[str, bool], passed: Sequence[str], again: Mapping[str, bool]
) -> list[str]:
    """Without those of functions whose tests the original itself does not name the same each time (their parameters
    come from a set), where as many pass as before. again: another run of the original."""
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
