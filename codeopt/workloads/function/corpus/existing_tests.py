"""Existing tests as evidence: which pass on the original, which calls they make, and whether a draft passes the
same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.analysis.nodes import first_line
from codeopt.core.cache import CacheKind, digest_of
from codeopt.core.errors import Diagnostic
from codeopt.core.interpreter import Interpreter
from codeopt.core.json_codec import JsonCodec
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import linked_folders
from codeopt.core.program import TracedCalls, Traces, read_program
from codeopt.core.session import Session
from codeopt.core.words import counted, end_of_run
from codeopt.workloads._evidence_cache import EvidenceCache, open_evidence, runner_parts
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.reached import ReachedText
from codeopt.workloads.sandbox_view.view import Module, View, locate
from codeopt.workloads.source.functions import Function, read_functions
from codeopt.workloads.tests import NearestTests
from codeopt_sandbox.calls import TestRequest, tests_program
from codeopt_sandbox.outcome import RunLimits
from codeopt_sandbox.plain_files import read_bytes, read_text

if TYPE_CHECKING:
    from codeopt_sandbox.guest.request import TestJob

MOST_FILES = 8
"""Maximum number of test files that are run for one function."""
SECONDS = 60.0
ELSEWHERE = "--python PATH runs them in another environment"
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

    def problem(self, ids: Sequence[str]) -> str:
        """Return in one line why some of these tests did not pass. Empty if all passed."""
        if self.error:
            return f"the tests do not run: {self.error}"
        for test in self.not_passed(ids):
            file = test.partition("::")[0]
            return f"test {test} fails: {self.failed.get(test) or self.failed.get(file) or 'it was not run'}"
        return ""

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
            without = "install pytest in it, or " if "No module named 'pytest'" in self.error else ""
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
    named = {file: read_functions(path).named.items() for file, path in inside.items()}
    names = {file: {first_line(node): name for name, nodes in each for node in nodes} for file, each in named.items()}
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


# Runs of a project's tests in the cache, and the keys by which their evidence counts again.
#
# A cached run is used while everything that decides it is unchanged: the code that its modules and tests reach, the
# tests that may reach them, the environment. Its key has modules and functions, so a new run replaces an old one.


FORMAT = 2
"""Version of the JSON of a run."""

Functions = Sequence[tuple[Path, str]]
"""Functions by resolved file and qualified name."""


@dataclass(frozen=True)
class CachedRun:
    """A run of tests, as it is kept."""

    files: tuple[Path, ...]
    """Modules whose tests were run, resolved."""
    functions: tuple[tuple[Path, str], ...]
    """Functions whose calls were to be written down."""
    times: Times
    timed: bool
    """True if all functions of the files were also timed."""
    decided: str = ""
    """Digest of everything that decides what the run shows."""
    made_at: float = 0.0
    """Seconds since the epoch."""


@dataclass
class TraceCache:
    """Kept runs of the tests of one project; without a cache each command runs them itself."""

    harness: FunctionHarness
    options: ImproveOptions
    linked: Linked = NO_LINKS
    python: Interpreter | None = None
    evidence: EvidenceCache = field(default_factory=EvidenceCache)
    notify: Callable[[str], None] = lambda line: None
    """Told of each step."""
    detail: Callable[[str], None] = lambda line: None
    """Takes a line that -v shows."""
    _digests: dict[tuple[Path, ...], str | None] = field(default_factory=dict)
    """Digests of what decides, by modules: they are made once a command."""

    def times(self, files: Sequence[Path], wanted: Functions) -> Times:
        """Return the time of the modules' functions under their tests, and the calls of the wanted ones.

        They come from a cached run, else from a new run, which is cached.
        """
        asked = tuple(file.resolve() for file in files)
        functions = tuple((path.resolve(), name) for path, name in wanted)
        of_these = (run for run in self._runs() if run.timed and set(run.files) == set(asked))
        found = self._unchanged(run for run in of_these if set(functions) <= set(run.functions))
        if found is not None:
            self.evidence.say_again(found.made_at, f": {counted(found.times.tests, 'test')}")
            # with the caller's names of files, which need not be resolved
            names, kept = {file.resolve(): file for file in files}, found.times
            seconds = {names[path]: spent for path, spent in kept.seconds.items()}
            own = {(names[path], name): spent for (path, name), spent in kept.own.items()}
            return replace(kept, seconds=seconds, own=own, reused_from=found.made_at)
        self.notify(f"running the tests of {counted(len(files), 'file')}")
        times = function_times(self.harness, files, wanted, self.linked)
        if times.tests:
            self._keep(CachedRun(asked, functions, times, timed=True))
        return times

    def calls(self, path: Path, function: str) -> TracedCalls | None:
        """The calls of a function that an earlier run of the tests shows; None where none does."""
        asked = path.resolve(), function
        found = self._unchanged(run for run in self._runs() if asked in run.times.traces)
        if found is None:
            return None
        traced, short = found.times.traces[asked], found.times.shortfall
        self.evidence.say_again(found.made_at, f": {counted(len(traced.calls), 'call')} of {function}")
        return replace(traced, diagnostics=(short,)) if short else traced

    def keep_calls(self, path: Path, function: str, found: TracedCalls) -> None:
        """Keep what a run of the tests showed of one function."""
        asked = path.resolve(), function
        short = next(iter(found.diagnostics), None)
        times = Times({}, 0.0, len(found.tests), short, traces={asked: found})
        self._keep(CachedRun((asked[0],), (asked,), times, timed=False))

    def _keep(self, run: CachedRun) -> None:
        decided = self._decided(run.files) if self.evidence.cache else None
        if decided is not None:
            value = codec_in(self.harness.view.module.root).write(replace(run, decided=decided))
            self.evidence.save(
                CacheKind.TRACE, value, str([sorted(value["files"]), sorted(value["functions"])]), str(run.timed)
            )

    def _runs(self) -> Iterator[CachedRun]:
        """The kept runs of an age that counts, the newest first."""
        for stored in self.evidence.values(CacheKind.TRACE):
            with suppress(ValueError):
                run = codec_in(self.harness.view.module.root).read(CachedRun, stored.value)
                yield replace(run, made_at=stored.made_at)

    def _unchanged(self, runs: Iterator[CachedRun]) -> CachedRun | None:
        """The first of some runs that would show the same now."""
        # maximum number of runs that are compared with the project as it is; each takes reading what it reached
        for _, run in zip(range(4), runs, strict=False):
            if run.decided == self._decided(run.files):
                return run
        return None

    def _decided(self, files: tuple[Path, ...]) -> str | None:
        if files not in self._digests:
            try:
                self._digests[files] = self._digest(files)
            except (OSError, ValueError) as error:
                self.detail(f"No run of the tests is cached: {error}.")
                self._digests[files] = None
        return self._digests[files]

    def _digest(self, files: tuple[Path, ...]) -> str | None:
        """Digest of all that decides what the tests of some modules show; None where that cannot be known. Raises
        OSError, ValueError."""
        harness, view = self.harness, self.harness.view
        if self.python is None or read_program(view.module.path).source != harness.source:
            return None  # a text that is not in its file
        modules = [locate(file, self.linked) for file in files]
        first = replace(view, module=modules[0])
        texts = [view.folder / each.path.relative_to(each.root) if view.copied else each.path for each in modules]
        tests = test_paths(harness, modules)
        roots = {
            view.folder / root.relative_to(view.module.root) if view.copied else root
            for each in (view.module, *modules)
            for root in each.roots
        }
        others = [each.path.relative_to(each.root) for each in modules[1:]]
        reached = reached_digest(
            harness, first, read_text(texts[0]), self.python, (*others, *tests), named_tests(harness), sorted(roots)
        )
        if reached is None:
            self.detail("No run of the tests is cached: they may read files outside of the project.")
            return None
        parts = {
            "format": FORMAT,
            "reached": reached,
            "modules": [[each.name, *(str(path.relative_to(each.root)) for path in each.roots)] for each in modules],
            "tests": sorted(map(str, tests)),
            "named": [str(place.path) for place in harness.places],
            **runner_parts(
                self.options, self.python, harness.sandbox, replace(harness.sandbox.limits, seconds=SECONDS)
            ),
        }
        return digest_of(parts)


def open_trace_cache(
    harness: FunctionHarness, options: ImproveOptions, session: Session, python: Interpreter | None, linked: Linked
) -> TraceCache:
    """Cached runs of the tests of a harness's project; none with --no-cache, and where an image has its own Python."""
    console, root = session.console, harness.view.module.root
    evidence = open_evidence(options, session, python, root, lambda _: {}, console.print)
    return TraceCache(harness, options, linked, python, evidence, console.progress, console.detail)


@lru_cache(maxsize=1)
def codec_in(root: Path) -> JsonCodec:
    """Writes a run with its files by their paths in the project; ValueError for a file elsewhere."""
    return JsonCodec({Path: (lambda path: path.resolve().relative_to(root).as_posix(), root.joinpath)})


# Everything that the evidence of a function or module depends on, except options: the code that is reached, and the
# tests that may reach it.


def reached_digest(
    harness: FunctionHarness, view: View, text: str, python: Interpreter, also: Sequence[Path],
    outside: Mapping[str, bytes], roots: Sequence[Path] = (),
) -> str | None:  # fmt: skip
    """Return a digest of everything that a view's module and other files reach. None if it is unknown.

    Args:
        harness: Harness of the function.
        view: Copy of the project.
        text: Text of the module.
        python: Interpreter that runs the code.
        also: Other files that run, relative to the project.
        outside: Files from other places that run.
        roots: Further folders of the view from which modules are imported.

    Raises:
        OSError: A file cannot be read.
    """
    elsewhere = [root for root in linked_folders(python.libraries) if not root.is_relative_to(view.module.root)]
    # folders of the copy that tests are imported from
    base = Path(harness.view.shown_at) if harness.sandbox.isolated else harness.view.folder
    tests = [Path(each).relative_to(base) for each in harness.target.test_paths] if harness.view.copied else []
    folders = (*elsewhere, *(view.folder / each for each in tests), *roots)
    return ReachedText(view, text, harness.sandbox.isolated, tuple(also), outside, folders).digest()


def test_paths(harness: FunctionHarness, modules: Sequence[Module]) -> tuple[Path, ...]:
    """Test files of the project that may be run for some modules, relative to it."""
    view = harness.view
    if not view.copied:
        return ()
    named = [place.path for place in harness.places if place.folder is None]
    inside = [view.folder / path.relative_to(view.module.root) for path in named]
    files = [file for path in inside for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    if not harness.places:
        base = Path(view.shown_at) if harness.sandbox.isolated else view.folder
        files = [view.folder / Path(each).relative_to(base) for each in find_tests(harness, modules).reaching]
    return tuple(file.relative_to(view.folder) for file in files if file.is_file())


def named_tests(harness: FunctionHarness) -> dict[str, bytes]:
    """Files of the tests that the user named outside of the project, by name."""
    copies = [(place.inside, place.folder) for place in harness.places if place.folder is not None]
    return {
        f"{name}/{file.relative_to(folder)}": read_bytes(file)
        for name, folder in copies
        for file in sorted(folder.rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts
    }
