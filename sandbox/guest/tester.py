"""Runs existing tests or doctests against the module under test, and writes down the calls they make; a program by
itself.

SPEC as in caller.py, with "job": "pytest", "doctest" or "rank" (pytest under a profiler), "tests": paths or test
ids, "folder", "most": calls to write down, "files": what is ranked.
stdout: one line of JSON, {"passed": [ids], "failed": {id: reason}, "calls": [[expression, test]], "error": text,
"lost": {why calls cannot be written down: how many}}.
"""

import json
import os
import sys
import time


class Outcomes:
    """A pytest plug-in: which tests passed."""

    def __init__(self):
        self.passed, self.failed = [], {}
        self.until = time.monotonic() + SPEC["seconds"]

    def pytest_sessionstart(self, session):
        self.session = session

    def pytest_collection_modifyitems(self, items):
        """Tests named like the function come first: a large suite may not be run to its end."""
        name = SPEC["qualname"].rpartition(".")[2].replace("_", "").lower()
        items.sort(key=lambda item: name not in item.nodeid.replace("_", "").lower())
        self.seconds = 0.0

    def pytest_runtest_logreport(self, report):
        if time.monotonic() > self.until:
            self.session.shouldstop = "that is enough"
        self.seconds += report.duration  # of fixtures too
        if report.failed:
            text = str(getattr(report, "longrepr", "")).strip().splitlines()
            self.failed[report.nodeid] = text[-1][:300] if text else "failed"
        elif report.when == "call" and report.passed:
            self.passed.append(report.nodeid)


def run_pytest(sink):
    """Run the tests; the function is recorded from its module's import on."""
    import pytest

    sys.meta_path.insert(0, _Loader())
    recorder = install(SPEC, sink) if SPEC["most"] else None
    found = Outcomes()
    # One file that cannot be imported says nothing of the others.
    flags = [
        "-q",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-W",
        "ignore",
        "--rootdir",
        SPEC["folder"],
        "--tb=line",
    ]
    status = pytest.main([*flags, *SPEC["tests"]], plugins=[found])
    failed = set(found.failed)
    return {
        "passed": [name for name in dict.fromkeys(found.passed) if name not in failed],
        "failed": found.failed,
        "seconds": found.seconds,
        "lost": recorder.lost if recorder else {},
        "error": ""
        if int(status) in (0, 1, 5) or (found.passed and int(status) == 2)
        else f"pytest ended with status {int(status)}",
    }


def rank(sink):
    """Run the tests under the C profiler: (file, first line, seconds with all that it calls) of the functions of some
    files."""
    import cProfile

    profiler = cProfile.Profile()
    found = profiler.runcall(run_pytest, sink)
    profiler.create_stats()
    found["ranked"] = [
        [file, line, total]
        for (file, line, name), (*_, total, _) in profiler.stats.items()
        if file in SPEC["files"] and name != "<module>"  # which begins where the function in its first line does
    ]
    return found


def run_doctest(sink):
    """Run the module's doctests, the function's first."""
    import doctest

    module, _ = import_target()
    tests = [test for test in doctest.DocTestFinder().find(module) if test.examples]
    recorder = install(SPEC, sink)
    found = {"passed": [], "failed": {}, "error": "", "lost": recorder.lost}
    for test in tests:
        test.globs = dict(module.__dict__)
        os.environ["PYTEST_CURRENT_TEST"] = test.name + " (doctest)"  # as pytest does
        result = doctest.DocTestRunner(verbose=False).run(test, out=lambda text: None)
        if result.failed:
            found["failed"][test.name] = "a doctest fails"
        else:
            found["passed"].append(test.name)
    return found


def run_tests():
    answer = os.dup(1)
    os.dup2(2, 1)
    sys.path[:0] = SPEC["paths"]
    sys.argv[1:] = []
    if SPEC["folder"]:
        os.chdir(SPEC["folder"])
    calls = []

    def sink(text):
        if not text.startswith("#"):
            calls.append([text, os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]])

    try:
        found = {"pytest": run_pytest, "doctest": run_doctest, "rank": rank}[SPEC["job"]](sink)
    except BaseException as error:
        found = {"passed": [], "failed": {}, "error": f"{type(error).__name__}: {error}"}
    data = memoryview(json.dumps({**found, "calls": calls}).encode())
    while data:
        data = data[os.write(answer, data) :]


run_tests()
