"""The program that runs existing tests or doctests against the module under test.

stdout: one line of JSON, {"passed": [ids], "failed": {id: reason}, "calls": [[expression, test]], "error": text,
"lost": {why calls cannot be written down: how many}}.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from ..calls.function_ref import FunctionRef
from ..calls.module_loader import SourceLoader, import_target
from .recorded_module import install
from .request import TestRequest
from .trace import PausedClock, RecordedFunctions, TracedFunctions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from ..boot import Bundle
    from .recorder import CallRecorder

UNUSABLE = 4
"""Status of pytest where it cannot begin."""
PYTEST_OPTIONS = [
    "-q",
    "--continue-on-collection-errors",
    "-p",
    "no:cacheprovider",
    "-o",
    "addopts=",
    "-W",
    "ignore",
    "--tb=line",
]
"""One file that cannot be imported says nothing of the others."""


def main(bundle: Bundle, ref: dict[str, Any], request: dict[str, Any], source: str) -> None:
    """Run the tests on the module text `source`."""
    answer = os.dup(1)
    os.dup2(2, 1)
    run = TestRun(FunctionRef.read(ref), TestRequest.read(request), source)
    data = memoryview(json.dumps({**run.result(), "calls": run.calls}).encode())
    while data:
        data = data[os.write(answer, data) :]


def current_test() -> str:
    """Id of the test that runs; empty between tests."""
    return os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]


def _reason(found: Any) -> str:
    """Why a test failed or was skipped, in a line: what it raised, with what pytest says of an assertion's values."""
    crash = getattr(found, "reprcrash", None)
    if crash is not None:
        return " ".join(crash.message.split())[:300] or "no reason is given"
    text = found[-1] if isinstance(found, tuple) else str(found)
    last = (text.strip() or "no reason is given").splitlines()[-1]
    return (last[2:] if last.startswith("E ") else last).strip()[:300]


class TestRun:
    """One run, and the calls that it makes."""

    __test__ = False

    def __init__(self, ref: FunctionRef, request: TestRequest, source: str) -> None:
        self.ref, self.request, self.source = ref, request, source
        self.calls: list[tuple[str, str]] = []
        """(expression, test)."""

    def result(self) -> dict[str, Any]:
        """Answer for the host, without the calls."""
        sys.path[:0] = self.ref.paths
        sys.argv[1:] = []
        if self.request.folder:
            os.chdir(self.request.folder)
        run = {"pytest": self.run_pytest, "doctest": self.run_doctest, "rank": self.rank}[self.request.job]
        try:
            return run()
        except BaseException as error:
            return {"passed": [], "failed": {}, "error": f"{type(error).__name__}: {error}"}

    def sink(self, text: str) -> None:
        """A call was made."""
        if not text.startswith("#"):
            self.calls.append((text, current_test()))

    def record(self) -> CallRecorder:
        """Record calls from the module's import on."""
        return install(self.ref.module, self.ref.qualname, self.request.most, self.sink)

    def run_pytest(
        self,
        record: Callable[[], object] | None = None,
        ended: Callable[[str], None] = lambda test: None,
        lost: Callable[[], float] = lambda: 0.0,
    ) -> dict[str, Any]:
        """Run the tests; functions are recorded from their modules' import on.

        record: installs recorders in place of that of the function. ended: is told of each test that has ended.
        lost: seconds so far that recorders took, which are not the tests'.
        """
        import pytest

        sys.meta_path.insert(0, SourceLoader(self.ref, self.source))
        recorder = self.record() if self.request.most and record is None else None
        if record is not None:
            record()
        found = PassedTests(self.ref.qualname, self.request.seconds, ended, lost)
        status = self.by_folder(pytest.main, found)
        fine = status in (0, 1, 5) or (found.passed and status == 2)
        return {
            "passed": [name for name in dict.fromkeys(found.passed) if name not in found.failed],
            "failed": found.failed,
            "skipped": found.skipped,
            "seconds": found.seconds,
            "lost": recorder.lost if recorder else {},
            "error": "" if fine else f"pytest ended with status {status}",
        }

    def by_folder(self, main: Callable[..., int], found: PassedTests) -> int:
        """Status of pytest, run once, or for each folder of tests where one's conftest.py cannot be loaded, which ends
        pytest before it looks at the others."""

        def ask(tests: Iterable[str]) -> int:
            return int(main([*PYTEST_OPTIONS, "--rootdir", self.request.folder, *tests], plugins=[found]))

        folders: dict[str, list[str]] = {}
        for test in self.request.tests:
            folders.setdefault(str(Path(test.partition("::")[0]).parent), []).append(test)
        status = ask(self.request.tests)
        if status != UNUSABLE or len(folders) == 1:
            return status
        states = {folder: ask(tests) for folder, tests in folders.items()}
        lost = [folder for folder, state in states.items() if state == UNUSABLE]
        found.failed.update((os.path.relpath(each), "its conftest.py cannot be loaded") for each in lost)
        return UNUSABLE if len(lost) == len(states) else max(set(states.values()) - {UNUSABLE})

    def rank(self) -> dict[str, Any]:
        """Run the tests under the C profiler: time and tests of the functions of some files, calls of some of them."""
        import cProfile

        clock = PausedClock()
        profiler = cProfile.Profile(clock, subcalls=False, builtins=False)
        traced = TracedFunctions(profiler, self.request.files)
        recorded = RecordedFunctions(self.request.functions, self.request.most, clock, current_test)

        def record() -> None:
            sys.meta_path.insert(0, recorded)

        found = profiler.runcall(self.run_pytest, record, traced.look, lambda: clock.lost)
        found["ranked"] = traced.rows()
        found["recorded"] = recorded.rows()
        return found

    def run_doctest(self) -> dict[str, Any]:
        """Run the module's doctests, the function's first."""
        import doctest

        module, _ = import_target(self.ref, self.source)
        tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
        recorder = self.record()
        passed, failed = [], {}
        for test in tests:
            test.globs = dict(vars(module))
            os.environ["PYTEST_CURRENT_TEST"] = test.name + " (doctest)"  # as pytest does
            if doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed:
                failed[test.name] = "a doctest fails"
            else:
                passed.append(test.name)
        return {"passed": passed, "failed": failed, "error": "", "lost": recorder.lost}


class PassedTests:
    """A pytest plug-in: which tests passed."""

    def __init__(self, qualname: str, seconds: float, ended: Callable[[str], None], lost: Callable[[], float]) -> None:
        self.ended, self.lost, self.lost_before = ended, lost, 0.0
        self.name = qualname.rpartition(".")[2].replace("_", "").lower()
        self.until = time.monotonic() + seconds
        self.passed: list[str] = []
        self.failed: dict[str, str] = {}
        self.skipped: dict[str, str] = {}
        self.seconds = 0.0

    def pytest_sessionstart(self, session: Any) -> None:
        """Keep the session, to end it early."""
        self.session = session

    def pytest_sessionfinish(self, session: Any) -> None:
        """Hypothesis' plug-in imports all of Hypothesis, 1 s, for a summary of tests that do without it."""
        plugins = session.config.pluginmanager
        if "hypothesis" not in sys.modules and plugins.hasplugin("hypothesispytest"):
            plugins.unregister(name="hypothesispytest")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Tests named like the function come first: a large suite may not be run to its end."""
        items.sort(key=lambda item: self.name not in item.nodeid.replace("_", "").lower())

    def pytest_collectreport(self, report: Any) -> None:
        """A file, or what is in it, was looked through: one that cannot be imported has no test to fail."""
        self._note(report)

    def _note(self, report: Any) -> None:
        """Why it fails or is skipped."""
        kept = self.failed if report.failed else self.skipped if report.skipped else None
        if kept is not None:
            kept[report.nodeid] = _reason(report.longrepr)

    def pytest_runtest_logstart(self) -> None:
        """A test begins."""
        self.lost_before = self.lost()

    def pytest_runtest_logreport(self, report: Any) -> None:
        """One step of one test."""
        if time.monotonic() > self.until:
            self.session.shouldstop = "that is enough"
        lost = self.lost()
        self.seconds += max(0.0, report.duration - (lost - self.lost_before))  # of fixtures too
        self.lost_before = lost
        self._note(report)
        if report.when == "call" and report.passed:
            self.passed.append(report.nodeid)
        if report.when == "teardown":
            self.ended(report.nodeid)
