"""Tests that passed in an earlier session on the same files are not run again; whatever decides them makes them run."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from codeopt.core.cache import Cache, CacheKind
from codeopt.core.interpreter import find_interpreter
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.workloads import WorkloadRequest
from codeopt.workloads._evidence_cache import EvidenceCache
from codeopt.workloads.project import OpenedProject, open_workload, read
from codeopt.workloads.project.suite import ProjectSuite, open_suite
from codeopt.workloads.project.test_runs import FileResults, TestRunner
from codeopt.workloads.project.test_runs import TestResults as Results
from codeopt_sandbox.outcome import Run
from tests.conftest import require_sandbox
from tests.support.files import write_files

FILES = {
    "bench.py": "import core\nprint(core.first(1))\n",
    "core.py": "import helper\n\n\ndef first(x):\n    return helper.one(x)\n",
    "helper.py": "def one(x):\n    return x + 1\n",
    "data.txt": "2\n",
    "test_core.py": """\
import os

import core

def test_first():
    assert core.first(1) == int(open("data.txt").read())

def test_variable():
    assert os.environ.get("SIZE", "1") == "1"
""",
}
BOTH = ("test_core.py::test_first", "test_core.py::test_variable")


class Sessions:
    """A project and a cache, in which sessions follow each other."""

    def __init__(self, folder: Path) -> None:
        self.project, self.cache = write_files(folder / "project", FILES), Cache(folder / "cache")

    def begin(self, stack: ExitStack, **options: Any) -> tuple[ProjectSuite, OpenedProject]:
        """A new session, before it runs any test."""
        with_paths = (self.project / "data.txt",)
        options = {"run": "python bench.py", "sandbox": "bubblewrap", "with_paths": with_paths, **options}
        asked = ImproveOptions(**options)
        session = Session(open_cache=lambda project, notify: self.cache)
        target, python = Target(self.project), find_interpreter(None, self.project / "core.py")
        request = WorkloadRequest(target, read(target), replace(asked, python=python.path), session, interpreter=python)
        project = stack.enter_context(open_workload(request))
        assert isinstance(project, OpenedProject)
        runs = replace(project.runs, program=project.program, spent={})
        return open_suite(runs, project.program.revision, request), project


def is_run(suite: ProjectSuite, ask: Callable[..., object], *asked: Revision) -> bool:
    """Whether a question makes tests run."""
    before = suite.runs.spent.get("tests", 0.0)
    ask(*asked)
    return suite.runs.spent.get("tests", 0.0) > before


def test_what_passed_on_the_same_files_is_not_run_again(tmp_path: Path) -> None:
    """Tests of the original, and a draft that passes; one that fails is run each time."""
    require_sandbox("bubblewrap")
    sessions = Sessions(tmp_path)
    for again in (False, True):
        with ExitStack() as stack:
            suite, project = sessions.begin(stack)
            original = project.program.revision
            good = original.with_file("core.py", FILES["core.py"].replace("(x):\n", "(x):\n    x = x\n"))
            wrong = original.with_file("helper.py", FILES["helper.py"].replace("1", "2"))
            assert is_run(suite, suite.judge, good) is not again
            assert suite.passed == BOTH
            assert (suite.judge(good).wrong, suite.judge(good).count.passed) == ("", 2)
            assert is_run(suite, suite.judge, wrong)
            assert "test_first fails" in suite.judge(wrong).wrong


def test_only_what_passes_and_makes_sense_is_kept(tmp_path: Path) -> None:
    cache, way, nothing = Cache(tmp_path), (TestRunner.PYTEST, ("-o", "addopts=")), cast("Any", None)
    draft, run = Revision({"a.py": "x = 1\n"}), Run(0, None, 1.5, 1.5, 0, b"", b"")
    suite = ProjectSuite(nothing, draft, ways=(way,), kept=EvidenceCache(cache, "key"))
    suite._keep_original(["t.py"], Results(run, {"t.py::test_b": False}))
    assert suite.of_original("t.py") is None
    suite._keep_original(["t.py"], Results(run, {"t.py::test_a": True, "t.py::test_b": False}))
    assert suite.of_original("t.py") == FileResults(way, ("t.py::test_a",), ("t.py::test_b",), 1.5)
    assert suite.of_original("u.py") is None
    assert replace(suite, kept=EvidenceCache(cache, "other")).of_original("t.py") is None
    suite.kept.save(CacheKind.SUITE, [1], "t.py")
    assert suite.of_original("t.py") is None
