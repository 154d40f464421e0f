"""The project's own tests, run by pytest on a copy with edits: which pass, and whether the same ones do afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree import ElementTree

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.options import ImproveOptions
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.workloads.project.command import EntryKind, ProjectCommand
from codeopt.workloads.project.edits import edits_of
from codeopt.workloads.project.reached import ImpactedTests, junit_name, read_reach
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.text import is_test
from codeopt.workloads.project.watch import LEAST_S, LONGER, Watcher, watched_run
from codeopt_sandbox.outcome import Run

REPORT = "codeopt-tests.xml"
WITHOUT_OPTIONS = ("-o", "addopts=")
SETTINGS = ("pyproject.toml", "pytest.ini", "tox.ini", "setup.cfg")
GO_ON = "--continue-on-collection-errors"
"""A test module that cannot be imported (its own helpers are not installed) does not take the others with it."""
SECONDS = 120.0
"""A suite that takes longer is not waited for: name a part of it with --tests."""
SLOW_S = 3.0
"""Time of a suite from which on it is found out which tests reach which functions, seconds."""
MOST_IDS = 400
"""Maximum number of tests that are then named to pytest."""
REACH = Watcher("project_reach", "install")
PYTEST = """\
import sys
sys.argv[:] = {argv!r}
if hasattr(sys, "orig_argv"):
    sys.orig_argv[:] = [sys.executable, *sys.argv]
import pytest
raise SystemExit(pytest.main({words!r}))
"""


@dataclass(frozen=True)
class ProjectTests:
    """Tests of the project that the original passes."""

    passed: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    """How pytest is called, beside the files."""
    paths: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    """Tests that fail on the original, and count for nothing."""
    shortfall: Diagnostic | None = None
    reached: ImpactedTests = ImpactedTests()
    """By function; nothing where all tests are quick."""
    unchosen: Diagnostic | None = None
    """Why a round runs all of them, although they take long."""

    @property
    def failed(self) -> int:
        """Number of tests that fail on the original."""
        return len(self.lost)

    @property
    def all(self) -> tuple[str, ...]:
        """Arguments of pytest that run all of them."""
        return (*self.options, *self.paths)

    @property
    def words(self) -> str:
        """For people."""
        if self.shortfall:
            return f"no tests ({self.shortfall.why})"
        failing = f", {self.failed} fail on the original and count for nothing" if self.failed else ""
        return f"{len(self.passed)} tests{failing}"


def find_tests(runs: CommandRuns, draft: Revision, options: ImproveOptions) -> ProjectTests:
    """Run those that are named, else all that pytest would find."""
    if options.no_tests:
        return ProjectTests(shortfall=Diagnostic("the project's tests are not run", "--no-tests"))
    paths = named_tests(options.tests, (runs.project.root,)) or _found(runs)
    if not paths:
        return ProjectTests(shortfall=Diagnostic("the project's tests are not run", "it has no test_*.py"))
    more: tuple[str, ...] = ()
    run = _run(runs, draft, paths)
    if not (results := _results(run)):  # the project's own options may ask for plug-ins that are not here
        more = WITHOUT_OPTIONS
        run = _run(runs, draft, (*more, *paths))
        results = _results(run)
    passed = tuple(_good(results))
    if not passed:
        said = run.stderr.decode("utf-8", "replace").strip() or run.stdout.decode("utf-8", "replace").strip()
        last = run.stop_detail or said.rpartition("\n")[2][:200] or f"exit status {run.exit}"
        return ProjectTests(shortfall=Diagnostic("the project's tests are not run", f"none passes: {last}"))
    found = ProjectTests(passed, more, tuple(paths), tuple(name for name in results if not results[name]))
    return found if run.wall_s < SLOW_S else _with_reached(runs, draft, found, run)


def _with_reached(runs: CommandRuns, draft: Revision, tests: ProjectTests, plain: Run) -> ProjectTests:
    """Without where they do not end under a hook on each call as they do without."""
    seconds = min(SECONDS, runs.limits.seconds, max(LEAST_S, plain.wall_s * LONGER))
    watched = watched_run(_as_tests(runs, tests.all), draft, REACH, replace(runs.limits, seconds=seconds))
    if watched.run.stop is not None or watched.run.exit != plain.exit:
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


def _found(runs: CommandRuns) -> list[str]:
    """Folders and files that pytest is given; none where the project's settings say what a test file is called."""
    settings = (content for path, content in runs.project.files if path in SETTINGS)
    if any(b"python_files" in content for content in settings):
        tests = [f"--ignore={word}" for word in runs.command.words if word.endswith(".py")]
        return tests or ["."]
    return [path for path, _ in runs.project.files if is_test(path) and path not in runs.command.words]


def failing_reached(runs: CommandRuns, draft: Revision, tests: ProjectTests, original: Revision) -> str:
    """The same of those tests that can see what a draft changes, as far as that is known."""
    ids = tests.reached.by(edits_of(original, draft), original, draft)
    if ids is None or len(ids) > MOST_IDS:
        return failing(runs, draft, tests)
    names = {junit_name(each) for each in ids}
    seen = [name for name in tests.passed if name in names]
    if not seen:
        return ""
    results = _results(_run(runs, draft, (*tests.options, *ids)))
    return "" if all(map(results.get, seen)) else failing(runs, draft, tests)


def failing(runs: CommandRuns, draft: Revision, tests: ProjectTests) -> str:
    """Which test a draft does not pass that the original passes; empty where it passes all."""
    if not tests.passed:
        return ""
    run = _run(runs, draft, tests.all)
    results = _results(run)
    lost = [name for name in tests.passed if not results.get(name)]
    if any(name not in results for name in lost):
        lost = steadily_lost(lost, results, tests.passed, _results(_run(runs, UNCHANGED, tests.all)))
    if lost:
        more = f", and {len(lost) - 1} more" if len(lost) > 1 else ""
        reason = "" if lost[0] in results else f" ({run.stop_detail or 'it was not run'})"
        return f"test {lost[0]} fails{reason}{more}"
    return ""


def steadily_lost(
    lost: Sequence[str], results: Mapping[str, bool], passed: Sequence[str], again: Mapping[str, bool]
) -> list[str]:
    """Without those of functions whose tests the original itself does not name the same each time (their parameters
    come from a set), where as many pass as before. again: another run of the original."""
    changing = {_function(name) for name in set(passed).symmetric_difference(_good(again))}
    before, now = Counter(map(_function, passed)), Counter(map(_function, _good(results)))
    return [n for n in lost if _function(n) not in changing or now[_function(n)] < before[_function(n)]]


def _good(results: Mapping[str, bool]) -> list[str]:
    return [name for name, good in results.items() if good]


def _function(name: str) -> str:
    """Name of the test without its parameters."""
    return name.partition("[")[0]


def _run(runs: CommandRuns, draft: Revision, paths: Sequence[str]) -> Run:
    limits = replace(runs.limits, seconds=min(SECONDS, runs.limits.seconds))
    return _as_tests(runs, paths).run(draft, limits=limits)


def _as_tests(runs: CommandRuns, paths: Sequence[str]) -> CommandRuns:
    """By a process that has the command's arguments and variables: what asks who runs it hears the same."""
    words = ("-q", "-p", "no:cacheprovider", GO_ON, "--junitxml", REPORT, *paths)
    text = PYTEST.format(argv=list(argv_of(runs.command)), words=list(words))
    command = ProjectCommand("pytest", ("-c", text), runs.command.variables)
    return replace(runs, command=command, seen=bytes, beside=(), left_out_s=(0.0, 0.0), purpose="tests")


def argv_of(command: ProjectCommand) -> tuple[str, ...]:
    """The `sys.argv` of a command's program."""
    entry = command.entry
    first = {EntryKind.CODE: "-c", EntryKind.NOTHING: "", EntryKind.MODULE: f"{entry.name.replace('.', '/')}.py"}
    return (first.get(entry.kind, entry.name), *command.arguments)


def collected_files(tests: ProjectTests, paths: Iterable[str]) -> Iterator[str]:
    """The files, of some by their paths, whose tests pytest runs; examples in docstrings make no test file."""
    homes = {
        name.partition("::")[0]
        for name in (*tests.passed, *tests.lost)
        if "." not in _function(name).partition("::")[2]
    }
    for path in paths:
        dotted = path.removesuffix(".py").replace("/", ".")
        if any(home == dotted or home.startswith(f"{dotted}.") for home in homes):
            yield path


def _results(run: Run) -> dict[str, bool]:
    """By name: whether it passed; skipped ones are left out. What a run writes may be anything."""
    content = next((file.content for file in run.written if file.path == REPORT), None)
    if not content or b"<!ENTITY" in content:
        return {}
    try:
        tree = ElementTree.fromstring(content)
    except ElementTree.ParseError:
        return {}
    found: dict[str, bool] = {}
    for case in tree.iter("testcase"):
        kinds = {child.tag for child in case}
        if "skipped" not in kinds:
            found[f"{case.get('classname')}::{case.get('name')}"] = not kinds & {"failure", "error"}
    return found
