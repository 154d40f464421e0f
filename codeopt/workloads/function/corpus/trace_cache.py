"""Runs of a project's tests in the cache, and the keys by which their evidence counts again.

A cached run is used while everything that decides it is unchanged:
- the code that its modules and tests reach
- the tests that may reach them
- the environment

Its key has modules and functions, so a new run replaces an old one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from codeopt.core.cache import CacheKind, digest_of
from codeopt.core.interpreter import Interpreter
from codeopt.core.json_codec import JsonCodec
from codeopt.core.options import ImproveOptions
from codeopt.core.ownership import linked_folders
from codeopt.core.program import TracedCalls, read_program
from codeopt.core.session import Session
from codeopt.core.words import counted
from codeopt.workloads._evidence_cache import EvidenceCache, open_evidence, runner_parts
from codeopt.workloads.function.corpus.existing_tests import SECONDS, Times, find_tests, function_times
from codeopt.workloads.function.harness import FunctionHarness
from codeopt.workloads.sandbox_view.linked import NO_LINKS, Linked
from codeopt.workloads.sandbox_view.reached import ReachedText
from codeopt.workloads.sandbox_view.view import Module, View, locate
from codeopt_sandbox.plain_files import read_bytes, read_text

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
            value = run_to_json(replace(run, decided=decided), self.harness.view.module.root)
            self.evidence.save(
                CacheKind.TRACE, value, str([sorted(value["files"]), sorted(value["functions"])]), str(run.timed)
            )

    def _runs(self) -> Iterator[CachedRun]:
        """The kept runs of an age that counts, the newest first."""
        for stored in self.evidence.values(CacheKind.TRACE):
            with suppress(ValueError):
                yield replace(run_of(stored.value, self.harness.view.module.root), made_at=stored.made_at)

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


def run_to_json(run: CachedRun, root: Path) -> Any:
    """A run as data, its files by their paths in the project. Raises ValueError for a file elsewhere."""
    return _codec(root).write(run)


def run_of(value: Any, root: Path) -> CachedRun:
    """The run that `run_to_json` wrote. Raises ValueError."""
    return _codec(root).read(CachedRun, value)


@lru_cache(maxsize=1)
def _codec(root: Path) -> JsonCodec:
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
