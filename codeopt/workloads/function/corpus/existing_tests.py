"""Existing tests as evidence: which pass on the original, which calls they make, and whether a draft passes the
same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from codeopt.analysis.import_steps import importers, steps_to
from codeopt.core.diagnostic import Diagnostic
from codeopt.core.traced import TracedCalls
from codeopt.core.words import error_line
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.view import Module, tracked
from codeopt_sandbox.calls import TestRequest, tests_program
from codeopt_sandbox.outcome import Run, RunLimits

if TYPE_CHECKING:
    from codeopt_sandbox.guest.tests.request import TestJob

_TEST = re.compile(r"tests?_.*\.py|.*_tests?\.py|tests\.py")
FAR = 1_000
"""Number of imports that no chain has."""
MOST_FILES = 8
"""Maximum number of test files that are run."""
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
    """Number of the first line."""
    seconds: float
    """Time with all that it calls, seconds."""
    own_s: float
    """Time of its own lines and the built-ins that they call, seconds."""
    tests: tuple[str, ...]
    """Ids of the tests that call it."""


@dataclass(frozen=True)
class Tests:
    """One run of tests."""

    passed: tuple[str, ...]
    failed: dict[str, str]
    calls: tuple[str, ...]
    ranked: tuple[RankedFunction, ...]
    """Functions of some files; only of a "rank" job."""
    error: str
    """Why there is no result; empty when there is one."""
    skipped: dict[str, str] = field(default_factory=dict)
    lost: Mapping[str, int] = field(default_factory=dict)
    """Why calls cannot be written down (`key: a lambda`) -> how many."""
    seconds: float = 0.0
    """Wall time of the tests themselves, seconds."""
    places: dict[str, str] = field(default_factory=dict)
    """Test or doctest that made a call first, by call."""
    recorded: dict[str, TracedCalls] = field(default_factory=dict)
    """Calls of the functions that a "rank" job writes down, by `module qualname`."""

    def shortfall(self, files: int) -> Diagnostic | None:
        """Why the tests of so many files count for nothing, or some of them; None when all passed."""
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


def find_tests(bench: FunctionHarness) -> list[str]:
    """Paths, as the sandbox sees them, of the tests that the user named; else of tests that name the function and
    import its module."""
    return find_all_tests(bench, [bench.view.module], rf"\b{re.escape(bench.function.name)}\b")


def find_all_tests(bench: FunctionHarness, modules: Sequence[Module], pattern: str | None = None) -> list[str]:
    """The same for several modules of the project, and any function. pattern: what else a test holds."""
    isolated = bench.sandbox.isolated
    if bench.places:
        return [place.at(isolated) for place in bench.places]
    if not bench.view.copied:
        return []
    found = test_files(bench.view.module, bench.view.folder).that_import(modules, pattern)
    return [bench.view.inside(bench.view.module.root / path, isolated) for path in found]


@dataclass(frozen=True)
class TestFiles:
    """Test files of a project."""

    texts: Mapping[Path, str]
    """Text of each, by its path below the root."""
    users: Callable[[], Mapping[str, set[str]]]
    """Asked for the files that import a file, which takes reading all of the project's."""

    def that_import(self, modules: Sequence[Module], pattern: str | None = None) -> tuple[Path, ...]:
        """Test files that import one of some modules, the nearest first. pattern: what else a test holds."""
        named = {path: text for path, text in self.texts.items() if pattern is None or re.search(pattern, text)}
        return tuple(dict.fromkeys(path for module in modules for path in _nearest(module, named, self.users)))


def test_files(module: Module, folder: Path) -> TestFiles:
    """The test files of a module's project. folder: where the project's files are read."""
    paths = [path for path in tracked(module) if path.suffix == ".py"]
    files = {path: folder / path for path in paths if (folder / path).is_file()}
    texts = {path: file.read_text("utf-8", "replace") for path, file in files.items() if _TEST.fullmatch(path.name)}
    return TestFiles(
        texts, cache(lambda: importers({path.as_posix(): file.read_bytes() for path, file in files.items()}))
    )


def _nearest(module: Module, texts: Mapping[Path, str], users: Callable[[], Mapping[str, set[str]]]) -> list[Path]:
    """The tests that import a module; where these are few also those that import what imports it: a test client
    reaches what no test names. What the conftest of a test imports counts as imported by the test.

    texts: of the tests. users: asked for the files that import a file.
    """
    package, last = module.name.partition(".")[0], module.name.rpartition(".")[2]
    imports = re.compile(rf"^\s*(from|import)\s+.*\b({re.escape(package)}|{re.escape(last)})\b", re.MULTILINE)
    direct = sorted((_distance(path, text, module), path) for path, text in texts.items() if imports.search(text))
    found = [path for _, path in direct][:MOST_FILES]
    if len(found) < min(MOST_FILES, len(texts)):
        steps = steps_to([module.path.relative_to(module.root).as_posix()], users())
        nearest = ((min(steps.get(each, FAR) for each in _with_conftest(path)), path) for path in texts)
        found += [path for far, path in sorted(nearest) if far < FAR and path not in found]
    return found[:MOST_FILES]


def _with_conftest(path: Path) -> list[str]:
    """A test file, and the files whose fixtures it may use."""
    return [path.as_posix(), *((folder / "conftest.py").as_posix() for folder in path.parents)]


def _distance(path: Path, text: str, module: Module) -> int:
    """How far a test is from a module, the nearest first: by its name, by what it imports, by where it lies."""
    last = module.name.rpartition(".")[2]
    near = module.path.parent in (module.root / path).parents
    named = path.stem.strip("_") in (f"test_{last.strip('_')}", f"{last.strip('_')}_test")
    return 4 * (not named) + 2 * (module.name not in text) + (not near)


def run_tests(
    bench: FunctionHarness,
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
    folder = bench.view.inside(bench.view.module.root, bench.sandbox.isolated) if bench.view.copied else ""
    if bench.places:
        first = Path(bench.places[0].at(bench.sandbox.isolated))
        folder = str(first if bench.places[0].path.is_dir() else first.parent)
    seconds = RANK_S if job == "rank" else ENOUGH_S if record else SECONDS
    request = TestRequest(
        job, tuple(tests), folder, MOST_CALLS if record or functions else 0, seconds, tuple(files), tuple(functions)
    )
    limits: RunLimits = replace(bench.sandbox.limits, seconds=SECONDS)
    run = bench.sandbox.run(tests_program(bench.target, request, source), b"", mode="exec", limits=limits)
    try:
        found: dict[str, Any] = json.loads(run.stdout.decode("utf-8", "replace"))
        return Tests(
            tuple(map(str, found["passed"])),
            {str(key): str(value) for key, value in found["failed"].items()},
            tuple(str(call) for call, _ in found["calls"]),
            tuple(
                RankedFunction(str(file), int(line), float(total), float(own), tuple(map(str, reached)))
                for file, line, total, own, reached in found.get("ranked", ())
            ),
            _error(str(found["error"]), run),
            {str(key): str(value) for key, value in found.get("skipped", {}).items()},
            _counts(found.get("lost", {})),
            float(found.get("seconds", 0.0)),
            {str(call): str(place) for call, place in found["calls"]},
            {
                str(name): TracedCalls({str(call): str(test) for call, test in calls}, _counts(lost))
                for name, (calls, lost) in found.get("recorded", {}).items()
            },
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        last = error_line(run.stderr.decode("utf-8", "replace"))
        return Tests((), {}, (), (), run.stop_detail or last or f"exit status {run.exit}")


def _counts(found: Any) -> dict[str, int]:
    return {str(why): int(count) for why, count in found.items()}


def _error(error: str, run: Run) -> str:
    """Message of what ended pytest before it could report: a conftest.py that cannot be imported is only printed."""
    printed = re.findall(r"^E +(.+)$", run.stderr.decode("utf-8", "replace"), re.MULTILINE)
    return f"{error}: {printed[-1]}" if error and printed else error


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"


def failing(bench: FunctionHarness, draft: str, ids: Sequence[str]) -> str:
    """Tests that pass on the original and that a draft does not pass, in one line; empty when it passes all."""
    found = run_tests(bench, draft, ids)
    if found.error:
        return f"the tests do not run: {found.error}"
    lost = [name for name in ids if name not in found.passed]
    return f"test {lost[0]} fails: {found.failed.get(lost[0], 'it was not run')}" if lost else ""
