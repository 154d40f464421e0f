"""The tests of a project: which there are, in what order, by what they are run, and what their results count for."""
# looks at sandbox/codeopt_sandbox/guest/tests/outcomes, sandbox/codeopt_sandbox/guest/tests/__main__

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.history import TestsRun
from codeopt.core.options import ImproveOptions
from codeopt.core.program import Target
from codeopt.core.revision import UNCHANGED, Revision
from codeopt.core.session import Session
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.project import OpenedProject, open_workload, read
from codeopt.workloads.project.suite import ProjectSuite, open_suite
from codeopt.workloads.project.test_runs import TestRunner, run_tests
from codeopt.workloads.source.edits import CodeEdit, commented
from tests.conftest import require_sandbox
from tests.support.files import write_files

TEXTS = (
    "import os\n\n@os.cache\ndef f(x):\n    '''Doc.'''\n    return x\n",
    "class C:\n    def m(self): return 1\n\n    @property\n    def n(self):\n        # there\n        return 2\n",
    "def f(x):\n    def g():\n        return x\n    return g\n",
    "if 1:\n    def f():\n        return 1\n",
)


@pytest.mark.parametrize("text", TEXTS)
def test_a_line_of_comment_changes_nothing_but_lines(text: str) -> None:
    names = [name for name in ("f", "C.m", "C.n") if name.rpartition(".")[2] + "(" in text]
    before = Revision({"a.py": text, "b.py": "x = 1\n"})
    after = commented(before, [CodeEdit("a.py", name) for name in names])
    assert ast.dump(ast.parse(after["a.py"])) == ast.dump(ast.parse(text))
    assert after["a.py"].count("# noted") >= len(names)
    assert after["b.py"] == "x = 1\n"


CORE = "def first(x):\n    y = x\n    return y + 1\n\n\ndef second(x):\n    return x + 2\n"
TESTS = """\
import core

def test_first():
    assert core.first(1) == 2

def test_second():
    assert core.second(1) == 3
"""


@contextmanager
def opened(
    folder: Path, files: Mapping[str, str], sandbox: str = "bubblewrap", **options: object
) -> Iterator[OpenedProject]:
    require_sandbox(sandbox)
    write_files(folder, {"core.py": CORE, "bench.py": "import core\n", **files})
    asked = ImproveOptions(run="python bench.py", sandbox=sandbox, **options)  # type: ignore[arg-type]
    target = Target(folder)
    with open_workload(WorkloadRequest(target, read(target), asked, Session())) as found:
        assert isinstance(found, OpenedProject)
        yield found


def suite_of(project: OpenedProject) -> ProjectSuite:
    runs = replace(project.runs, program=project.program, spent={})
    return open_suite(runs, project.program.revision, project.request)


def test_tests_that_the_user_interrupts_are_not_begun_again(tmp_path: Path) -> None:
    def interrupt(_: TestsRun) -> None:
        raise KeyboardInterrupt

    with opened(tmp_path, {"test_core.py": TESTS}) as project:
        suite = suite_of(project)
        draft = project.program.revision.with_file("core.py", CORE.replace("y = x", "y = 1 * x"))
        with pytest.raises(KeyboardInterrupt):
            suite.judge(draft, keep=interrupt)
        spent = suite.runs.spent["tests"]
        other = draft.with_file("core.py", CORE.replace("y = x", "y = 2 * x"))
        assert suite.judge(other).count.files == 0
        assert suite.runs.spent["tests"] == spent
        assert suite.gap is not None


@pytest.mark.full
def test_a_suite_that_ends_itself_counts_for_what_passed(tmp_path: Path) -> None:
    files = {"test_core.py": TESTS + "\ndef test_ends():\n    import os; os.kill(os.getpid(), 9)\n"
             "\ndef test_never():\n    pass\n"}  # fmt: skip
    with opened(tmp_path, files) as project:
        original, suite = project.program.revision, suite_of(project)
        right = original.with_file("core.py", CORE.replace("x + 2", "2 + x"))
        assert suite.judge(right).wrong == ""
        assert suite.passed == ("test_core.py::test_first", "test_core.py::test_second")
        wrong = original.with_file("core.py", CORE.replace("x + 2", "x + 3"))
        assert "test_second fails" in suite.judge(wrong).wrong
        endless = original.with_file("core.py", f"import os\n{CORE}\nos.kill(os.getpid(), 9)\n")
        assert "test_first fails" in suite.judge(endless).wrong


UNITTESTS = """\
import unittest
import core

class Small(unittest.TestCase):
    def test_first(self):
        self.assertEqual(core.first(1), 2)
    def test_wrong(self):
        self.assertEqual(core.first(1), 3)
    def test_parts(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(core.second(n), n + 2)
    def test_one_part(self):
        with self.subTest(n=1):
            self.assertEqual(core.second(1), 9)
    @unittest.skip("not here")
    def test_skipped(self):
        pass
"""
MANAGE = (
    "import sys, unittest  # django\nassert sys.argv[1] == 'test'\nunittest.main(None, argv=['x', *sys.argv[3:]])\n"
)


@pytest.mark.full
@pytest.mark.parametrize("runner", TestRunner)
def test_each_runner_tells_of_each_test(tmp_path: Path, runner: TestRunner) -> None:
    """Also one of a framework that is built on unittest's results, as Django's is."""
    with opened(tmp_path, {"app/__init__.py": "", "app/tests.py": UNITTESTS, "manage.py": MANAGE}) as project:
        found = run_tests(project.runs, UNCHANGED, (runner, ()), ["app/tests.py"], 60.0)
        states = {name.rpartition(".")[2].rpartition("::")[2]: good for name, good in found.states.items()}
        assert states == {"test_first": True, "test_wrong": False, "test_parts": True, "test_one_part": False}
        assert "2 != 3" in next(text for name, text in found.why.items() if "wrong" in name)
