"""The project's tests as a judge of drafts, the nearest to a change first, and what earlier sessions know of them.

Each test file runs once on the original, when the first draft asks for it, and once on a draft. What was not run is a
gap and turns no verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from codeopt.analysis.nodes import first_line, functions_by_name, last_line
from codeopt.core.cache import CacheKind
from codeopt.core.errors import Diagnostic
from codeopt.core.history import TestsRun
from codeopt.core.interpreter import Interpreter
from codeopt.core.json_codec import JsonCodec
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.core.sanitize import cut
from codeopt.core.words import counted, listed
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._evidence_cache import EvidenceCache, Parts, open_evidence, runner_parts
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.test_runs import (
    WITHOUT_OPTIONS,
    FileResults,
    NewTests,
    TestResults,
    TestRunner,
    Way,
    run_tests,
)
from codeopt.workloads.source.edits import CodeEdit, commented, edits_of
from codeopt.workloads.source.module_graph import importers, read_module
from codeopt.workloads.source.test_files import find_test_files
from codeopt.workloads.tests import NearestTests, nearest_tests
from codeopt_sandbox.outcome import Caveat, CaveatKind

SHARE = 0.4
"""Share of `--max-seconds` that all runs of tests together may take: a draft, its timing and the confirmation come out
of the rest. A suite of 120 files took 475 of 600 s before tests had a share."""
WITHOUT_LIMIT_S = 600.0
"""Seconds for all runs of tests where the user sets no limit."""
AT_ONCE = 16
"""Test files of the first run for a draft; each further run has twice as many. A run imports the project again, and a
draft that a near test refuses should not wait for a far one."""
MORE = 4
"""Time limit of tests on a draft, as a multiple of their time on the original."""
MORE_S = 60.0
"""Least time limit of the tests of one run on a draft, seconds."""
NOT_RUN = "the project's tests are not run"


@dataclass(frozen=True)
class DraftTests:
    """What the tests say of a draft so far."""

    files: tuple[str, ...] = ()
    """Files whose tests all ran."""
    count: TestsRun = TestsRun()
    wrong: str = ""
    """First test that passes with the original and fails with the draft. Empty if all pass that ran."""
    detail: str = ""
    """Traceback and variables of that test, and the names of others that fail."""
    caveats: tuple[Caveat, ...] = ()
    """Tests that were set aside."""


@dataclass
class ProjectSuite:
    """The test files of a project, and what is known of their tests so far."""

    runs: CommandRuns
    original: Revision
    paths: Sequence[str] = ()
    """All test files."""
    ways: Sequence[Way] = ((TestRunner.PYTEST, ()),)
    """Runners to try, until one has a test that passes: that one stays."""
    shortfall: Diagnostic | None = None
    """Reason why no test is run."""
    allowed_s: float = WITHOUT_LIMIT_S
    kept: EvidenceCache = field(default_factory=EvidenceCache)
    """Results of earlier sessions."""
    notify: Callable[[str], None] = lambda line: None
    known: dict[str, FileResults] = field(default_factory=dict)
    """Results on the original by file."""
    drafts: dict[Revision, DraftTests] = field(default_factory=dict)
    latest: DraftTests = DraftTests()
    """What they said of the draft that was asked about last."""
    said: str = ""
    """Last words of the first run."""
    new_tests: NewTests | None = None
    """Results of the tests that only the other version has. None until they ran, or without one."""
    interrupted: bool = False
    """The user interrupted a run of tests: no further one begins, as the confirmation would begin the same again."""

    @property
    def passed(self) -> tuple[str, ...]:
        """Tests that pass on the original, of those that ran."""
        return tuple(dict.fromkeys(name for each in self.known.values() for name in each.passed))

    @property
    def lost(self) -> tuple[str, ...]:
        """Tests that fail on the original, of those that ran."""
        return tuple(dict.fromkeys(name for each in self.known.values() for name in each.lost))

    @property
    def gap(self) -> Diagnostic | None:
        """The reason why no test counts. None if one does, or if none was asked for yet."""
        if self.interrupted:
            return Diagnostic("the project's tests were not run to their end", "interrupted")
        if self.shortfall or self.passed or len(self.known) < len(self.paths):
            return self.shortfall
        return Diagnostic(NOT_RUN, f"none passes: {self.said}")

    @property
    def words(self) -> str:
        """For people."""
        if self.shortfall:
            return f"no tests ({self.shortfall.cause})"
        return f"{counted(len(self.paths), 'test file')}, run for a candidate that is faster"

    @property
    def left_s(self) -> float:
        """Seconds that runs of tests may still take."""
        return 0.0 if self.interrupted else self.allowed_s - self._spent_s

    @property
    def _spent_s(self) -> float:
        return self.runs.spent.get("tests", 0.0)

    def judge(
        self,
        draft: Revision,
        seconds: float | None = None,
        *,
        near: bool = False,
        keep: Callable[[TestsRun], None] = lambda count: None,
    ) -> DraftTests:
        """Run the tests on a draft that were not run on it yet.

        Args:
            draft: The draft.
            seconds: Time that the caller has for them. None: as much as they may take.
            near: Only those that may reach a changed function, in a part of the time.
            keep: Receives the count after each run.
        """
        order = self._nearest(edits_of(self.original, draft))
        every = (*order.reaching, *order.others)
        wanted = order.calling or every[:AT_ONCE] if near else every
        found = self.drafts.get(draft, DraftTests(count=TestsRun(of=len(self.paths))))
        # Share of the time left that the tests of one round may take. The other rounds and the confirmation have the
        # rest.
        left_s = self.left_s * (0.5 if near else 1.0)
        end_s = self._spent_s + (left_s if seconds is None else min(left_s, seconds))
        todo, size = [path for path in wanted if path not in found.files], AT_ONCE
        try:
            while todo and not found.wrong:
                batch, left_s = todo[:size], end_s - self._spent_s
                unknown = [path for path in batch if path not in self.known]
                if left_s > 0 and unknown:
                    self._run_original(unknown, left_s / 2)
                before, left_s = found, end_s - self._spent_s
                if left_s > 0:
                    found = self._asked(draft, found, [path for path in batch if path in self.known], left_s)
                self.drafts[draft] = found
                keep(found.count)
                self.notify(found.count.words)
                if found == before:  # no time is left
                    break
                todo, size = todo[size:], 2 * size
        except KeyboardInterrupt:
            self.interrupted = True
            raise
        self.latest = found
        return found

    def require_one(self, near: Sequence[CodeEdit]) -> None:
        """Run tests on the original, those of some functions first, until one passes: nothing else can judge."""
        found = self._nearest(near)
        order = (*found.reaching, *found.others)
        while not self.passed and self.left_s > 0 and (todo := [path for path in order if path not in self.known]):
            before = len(self.known)
            self._run_original(todo[:AT_ONCE], self.left_s)
            if len(self.known) == before:
                break

    def _nearest(self, changed: Sequence[CodeEdit]) -> NearestTests:
        files = self.runs.project.contents
        return nearest_tests(changed, self.paths, files, importers(files))

    def _run_original(self, paths: Sequence[str], seconds: float) -> None:
        """Run files on the original, by each runner that is left until one has a test that passes."""
        for path in paths:
            if found := self.of_original(path):
                self.ways, self.known[path] = (found.way,), found
        todo = [path for path in paths if path not in self.known]
        end_s = self._spent_s + seconds
        for way in self.ways if todo else ():
            left_s = end_s - self._spent_s
            if left_s <= 0:
                return
            results = run_tests(self.runs, self.original, way, todo, left_s, first=True)
            self.said = self.said or results.last_words
            if results.passed or len(self.ways) == 1:
                if results.passed:
                    self.ways = (way,)
                break
        if todo:
            self._keep_original(todo, results)

    def _keep_original(self, paths: Sequence[str], results: TestResults) -> None:
        """Keep what a run says of each file. If its time ended it, the files that it did not reach stay unknown."""
        by_file: dict[str, list[str]] = {path: [] for path in paths}
        for name in results.states:
            home = name.partition("::")[0]
            # of a runner with names of its own: the count of files is then that of the first
            belonging = (path for path in paths if home == path or home.startswith(f"{path}/"))
            by_file[next(belonging, paths[0])].append(name)
        late = results.run.stop == "time"
        reached = [at for at, path in enumerate(paths) if by_file[path]]
        last = max(reached, default=-1) if late else len(paths)
        share_s = results.run.active_s / max(1, min(len(paths), last + 1))
        for at, path in enumerate(paths[: last + 1]):
            good = tuple(name for name in by_file[path] if results.states[name])
            bad = tuple(name for name in by_file[path] if not results.states[name])
            self.known[path] = FileResults(self.ways[0], good, bad, share_s, cut=late and at == last)
            if good and not self.known[path].cut:
                self.kept.save(CacheKind.SUITE, CODEC.write(self.known[path]), path)

    def of_original(self, path: str) -> FileResults | None:
        """Return what an earlier session found of a test file on the original. None if that is not known."""
        try:
            return CODEC.read(FileResults, self._earlier(path))
        except ValueError:
            return None

    def _earlier(self, *parts: str) -> Any:
        stored = self.kept.load(CacheKind.SUITE, *parts)
        if stored:
            self.kept.say_again(stored.made_at)
        return stored.value if stored else None

    def _asked(self, draft: Revision, found: DraftTests, paths: Sequence[str], left_s: float) -> DraftTests:
        """Run files on a draft, and add to what is known of it."""
        # One that fails the tests of a file is judged again.
        again = [path for path in paths if self._earlier(path, draft.digest) == PASSES]
        found = self._counted(found, again, ())
        todo = [path for path in paths if path not in again]
        expected = {name: path for path in todo for name in self.known[path].passed}
        if not expected:
            return self._counted(found, todo, ())
        own_s = max(MORE_S, MORE * self.runs.load * sum(self.known[path].seconds for path in todo))
        results = run_tests(self.runs, draft, self.ways[0], todo, min(own_s, left_s))
        unseen = {name for name in expected if name not in results.states}
        late = results.run.stop == "time" and left_s <= own_s  # the share ended it, not the draft
        gone = {name for name in unseen if late or self.known[expected[name]].cut}
        lost = [name for name, _ in expected.items() if name not in gone and not results.states.get(name)]
        caveats: tuple[Caveat, ...] = ()
        if lost:
            lost, caveats = self._steadily_lost(draft, lost, results, expected)
        if lost:
            first, others = lost[0], lost[1:]
            why = results.reason(first) if first in results.states else results.run.stop_detail or "it was not run"
            wrong = f"test {first} fails{f' ({why})' if why else ''}"
            # source of the test as a model sees it; empty where no function has its name
            path = expected[first]
            text = self.runs.project.contents.get(path, b"").decode("utf-8", "replace")
            named = functions_by_name(read_module(text).body)
            node = named.get(first.partition("[")[0].removeprefix(f"{path}::").replace("::", "."))
            lines = text.splitlines()[first_line(node) - 1 : last_line(node)] if node else []
            # Number of characters that are shown of its start and end
            detail = [f"{first}:", cut("\n".join(lines), 600, 600), results.detail(first)]
            if others:
                # Maximum number of failing tests that a line names after the first
                wrong += f"; so {'does' if len(others) == 1 else 'do'} {listed(others, 4)}"
                # Maximum number of failing tests that a model sees
                detail.append(f"These fail also: {listed(others, 12)}")
            return replace(found, wrong=wrong, detail="\n".join(detail))
        partly = {expected[name] for name in gone} | {path for path in todo if self.known[path].cut}
        whole = [path for path in todo if path not in partly]
        if not caveats:
            for path in whole:
                self.kept.save(CacheKind.SUITE, PASSES, path, draft.digest)
        seen = sum(name in results.states and name not in gone for name in expected)
        return replace(self._counted(found, whole, caveats), count=found.count.more(len(whole), seen))

    def _counted(self, found: DraftTests, paths: Sequence[str], caveats: tuple[Caveat, ...]) -> DraftTests:
        """What is known of a draft that passes the tests of more files."""
        count = found.count.more(len(paths), sum(len(self.known[path].passed) for path in paths))
        return replace(found, files=(*found.files, *paths), count=count, caveats=found.caveats + caveats)

    def _steadily_lost(
        self, draft: Revision, lost: list[str], results: TestResults, expected: Mapping[str, str]
    ) -> tuple[list[str], tuple[Caveat, ...]]:
        """The lost tests that say something of the draft, with a caveat for each that was set aside.

        A test that depends on the source text or its line numbers is set aside: it also fails if the original gets a
        comment line in each changed function.
        """
        paths = tuple(dict.fromkeys(expected[name] for name in lost))
        seconds = max(MORE_S, MORE * self.runs.load * sum(self.known[path].seconds for path in paths))
        if not results.cut and any(name not in results.states for name in lost):
            again = run_tests(self.runs, UNCHANGED, self.ways[0], paths, seconds)
            passed = [name for name, path in expected.items() if path in paths]
            lost = steadily_lost(lost, results.states, passed, again.states)
        noted = commented(self.original, edits_of(self.original, draft))
        if noted == self.original or any(name not in results.states for name in lost):
            return lost, ()
        states = run_tests(self.runs, noted, self.ways[0], paths, seconds).states
        pinned = [name for name in lost if states.get(name) is False]
        why = "a line of comment alone makes it fail"
        found = (Caveat(CaveatKind.EVIDENCE, "", "", f"test {name} is set aside: {why}", why) for name in pinned)
        return [name for name in lost if name not in pinned], tuple(found)


def open_suite(runs: CommandRuns, original: Revision, request: WorkloadRequest) -> ProjectSuite:
    """Find the named tests, or all tests of the project. None is run yet."""
    options, session = request.options, request.session
    if options.no_tests:
        return ProjectSuite(runs, original, shortfall=Diagnostic(NOT_RUN, "--no-tests"))
    files = runs.project.contents
    paths = named_tests(options.tests, (runs.project.root,)) or find_test_files(files, runs.command.words)
    if not paths:
        return ProjectSuite(runs, original, shortfall=Diagnostic(NOT_RUN, "it has no test_*.py"))
    ways: list[Way] = [(TestRunner.MANAGE, ())] if b"django" in files.get("manage.py", b"") else []
    # the project's own options may ask for plug-ins that are not here
    ways += [(TestRunner.PYTEST, ()), (TestRunner.PYTEST, WITHOUT_OPTIONS)]
    if any(b"TestCase" in content for path, content in files.items() if path.endswith(".py")):
        ways.append((TestRunner.UNITTEST, ()))
    limit = options.time_limit_s if session.limit_s is None else session.limit_s
    return ProjectSuite(
        runs, original, paths, ways, allowed_s=WITHOUT_LIMIT_S if limit is None else SHARE * limit,
        kept=_kept(request, runs, paths, ways), notify=session.console.progress,
    )  # fmt: skip


def named_tests(tests: Sequence[Path], roots: Sequence[Path]) -> list[str]:
    """Tests that the user names, relative to the first of some folders that they lie in; others are left out."""
    found = []
    for path in (each.resolve() for each in tests):
        root = next((each for each in roots if each in path.parents), None)
        found += [path.relative_to(root).as_posix()] if root else []
    return found


def collected_files(names: Sequence[str], paths: Iterable[str]) -> Iterator[str]:
    """The files, of some by their paths, whose tests are run; examples in docstrings make no test file."""
    homes = {name.partition("::")[0] for name in names if "." not in _function(name).partition("::")[2]}
    return (path for path in paths if path in homes)


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


# Results of a project's tests that are kept for the next session: of each file those that the original passes, and the
# drafts that passed them.
#
# A run sees copies of the project's files and nothing else of the user's, so their contents decide what the tests say,
# with what runs them: all of it is in the key.

FORMAT = 2
"""Version of the JSON of the results."""
PASSES = "passes"
CODEC = JsonCodec()


def _kept(request: WorkloadRequest, runs: CommandRuns, paths: Sequence[str], ways: Sequence[Way]) -> EvidenceCache:
    """The results of the tests in some files; none where runs see more than copies, and for two versions."""
    options, session, project = request.options, request.session, runs.project
    if not runs.sandbox.isolated or runs.other is not None:
        return EvidenceCache()

    def decides(python: Interpreter) -> Parts:
        return {
            "format": FORMAT,
            "files": {path: sha256(content).hexdigest() for path, content in project.contents.items()},
            "roots": project.import_roots,
            "command": asdict(runs.command),
            "tests": [sorted(paths), ways],
            # the time limits of tests are their own
            **runner_parts(options, python, runs.sandbox, replace(runs.sandbox.limits, seconds=0.0)),
        }

    return open_evidence(options, session, request.interpreter, project.root, decides, session.console.progress)
