"""The program that runs existing tests or doctests against the module under test.

stdout: one line of JSON, {"passed": [ids], "failed": {id: reason}, "error": text, "recorded": {function: [[[expression,
test]], {why calls cannot be written down: how many}]}}.
"""

from __future__ import annotations

import json
import os
import sys

from ..boot import write_all
from ..calls.module_loader import import_target
from ..request import FunctionRef, TestRequest
from .outcomes import PytestPlugin, TestOutcomes, UnittestRun, django_home
from .recorded_module import install
from .recorder import CallRecorder
from .trace import (
    BesideTimes,
    CallTimes,
    Children,
    PausedClock,
    ProgramLoader,
    TracedFunctions,
    current_test,
    recorders_of,
    show,
    sink_of,
    watch_times,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..boot import Bundle

PYTEST_OPTIONS = [
    "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", "-o", "addopts=", "-W", "ignore", "--tb=line",
]  # fmt: skip
"""Options of pytest. A file that cannot be imported does not end the run of the others."""


def main(bundle: Bundle, ref: dict[str, Any], request: dict[str, Any], source: str) -> None:
    """Run the tests on the module text `source`."""
    answer = os.dup(1)
    os.dup2(2, 1)
    run = TestRun(bundle, FunctionRef.read(ref), TestRequest.read(request), source)
    write_all(answer, json.dumps(run.result()).encode())


class TestRun:
    __test__ = False

    def __init__(self, bundle: Bundle, ref: FunctionRef, request: TestRequest, source: str) -> None:
        self.bundle, self.ref, self.request, self.source = bundle, ref, request, source
        self.calls: dict[str, list[tuple[str, str]]] = {}
        """(expression, test) by `module qualname`."""
        self.lost: dict[str, dict[str, int]] = {}
        """Number of calls that cannot be recorded, by function and by reason."""
        self.beside, self.clock = BesideTimes(), PausedClock()
        self.pid = os.getpid()

    def result(self) -> dict[str, Any]:
        """Answer for the host."""
        sys.path[:0] = self.ref.paths
        sys.argv[1:] = []
        if self.request.folder:
            os.chdir(self.request.folder)
        self.children = Children(self.bundle, self.ref, self.request, self.source)
        try:
            found = self.run_doctest() if self.request.job == "doctest" else self.run_tests()
        except BaseException as error:
            return {"passed": [], "failed": {}, "error": f"{type(error).__name__}: {error}"}
        finally:
            self.children.close()
        recorded = {named: [self.calls.get(named, []), self.lost.get(named, {})] for named in self.request.functions}
        return {**found, "recorded": recorded}

    def sink_of(self, named: str) -> Callable[[str], None]:
        """Callback that keeps the calls of one function; a forked process writes them down."""
        kept = self.calls.setdefault(named, [])
        elsewhere = sink_of(self.children.log, named)

        def keep(text: str) -> None:
            if os.getpid() != self.pid:
                elsewhere(text)
            elif not text.startswith("#"):
                kept.append((text, current_test()))

        return keep

    def record(self) -> dict[str, CallRecorder]:
        """Record calls of the functions from the import of their modules on."""
        recorders = recorders_of(self.request.functions, self.request.most, self.clock, self.sink_of)
        install(recorders.values())
        return recorders

    def gather(self, recorders: dict[str, CallRecorder]) -> None:
        """Add what other processes wrote to what was seen in this one."""
        for named, recorder in recorders.items():
            self.lost.setdefault(named, {}).update(recorder.lost)
        known = {named: {text for text, _ in calls} for named, calls in self.calls.items()}
        for kind, *row in self.children.rows():
            if kind == "call":
                named, text, test = row
                if text not in known.setdefault(named, set()) and len(known[named]) < self.request.most:
                    known[named].add(text)
                    self.calls.setdefault(named, []).append((text, test))
            elif kind == "lost":
                named, why = row
                reasons = self.lost.setdefault(named, {})
                reasons[why] = reasons.get(why, 0) + 1
            elif kind == "time":
                file, line, total, own, test = row
                self.beside.add((file, line), total, own, test)

    def run_tests(self) -> dict[str, Any]:
        """Run the tests by their runner; if functions of files are to be timed, under the C profiler."""
        show(ProgramLoader(self.ref, self.source))
        recorders = self.record()
        if not self.request.files:
            found = self.run_by_one()
            self.gather(recorders)
            return found
        import cProfile

        profiler = cProfile.Profile(self.clock, subcalls=False, builtins=False)
        traced = TracedFunctions(profiler, self.request.files)
        # each forked process writes its own lines
        os.register_at_fork(after_in_child=lambda: watch_times(self.request.files, self.children.log))
        threads = CallTimes(self.request.files, lambda at, total, own: self.beside.add(at, total, own, current_test()))
        if sys.version_info < (3, 12):  # from which on the profiler hears of all threads
            threads.install_for_threads()

        def ended(test: str) -> None:
            traced.look(test)
            threads.tell_all()  # told later, it would count for another test
            threads.told.clear()

        found = profiler.runcall(self.run_by_one, ended)
        threads.tell_all()
        self.gather(recorders)
        return {**found, "ranked": traced.rows(self.beside)}

    def run_by_one(self, ended: Callable[[str], None] = lambda test: None) -> dict[str, Any]:
        """Run the tests by Django's runner if it is a Django project; if that runs none by pytest, or by unittest where
        there is no pytest. ended: receives the name of each test that has ended."""
        about: Any = (self.ref.qualname, self.request.seconds, ended, lambda: self.clock.lost)
        home = django_home(self.request.tests, self.request.folder)
        if home and (by_django := self.run_unittest(TestOutcomes(*about), home))["ran"]:
            return by_django
        missing = ""  # the tests run outside of the handler: some ask for the present exception
        try:
            import pytest  # noqa: F401
        except ImportError as error:
            missing = f"{type(error).__name__}: {error}"
        if missing:
            return self.run_unittest(TestOutcomes(*about), missing=missing)
        found = PytestPlugin(*about)
        status = found.run([*PYTEST_OPTIONS, "--rootdir", self.request.folder], self.request.tests)
        fine = status in (0, 1, 5) or (found.passed and status == 2)
        return {**found.fields(), "error": "" if fine else f"pytest ended with status {status}"}

    def run_unittest(self, outcomes: TestOutcomes, home: str = "", missing: str = "") -> dict[str, Any]:
        """Run the tests by Django's runner, or unittest's own. missing: why pytest does not run them."""
        UnittestRun(outcomes, self.request.folder, home).run(self.request.tests)
        found = outcomes.fields()
        return {**found, "error": "" if found["ran"] else missing}

    def run_doctest(self) -> dict[str, Any]:
        """Run the module's doctests, the function's first."""
        import doctest

        module, _ = import_target(self.ref, self.source)
        tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
        recorders = self.record()
        passed, failed = [], {}
        for test in tests:
            test.globs = dict(vars(module))
            os.environ["PYTEST_CURRENT_TEST"] = test.name + " (doctest)"  # as pytest does
            if doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None).failed:
                failed[test.name] = "a doctest fails"
            else:
                passed.append(test.name)
        self.gather(recorders)
        return {"passed": passed, "failed": failed, "error": ""}
