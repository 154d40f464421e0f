"""Which tests of a slow suite a draft is asked to pass in a round."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.core.options import ImproveOptions
from codeopt.core.revision import Revision
from codeopt.core.session import Session
from codeopt.core.target import Target
from codeopt.workloads import WorkloadRequest
from codeopt.workloads.project import OpenedProject, open_workload, read, suite_run
from codeopt.workloads.project.edits import edits_of
from codeopt.workloads.project.reached import ImpactedTests
from codeopt.workloads.project.suite_run import open_suite
from codeopt.workloads.project.suite_tests import failing, failing_reached
from tests.conftest import require_sandbox

CORE = """\
import functools


def twice(x):
    return x + x


@functools.lru_cache
def thrice(x):
    return twice(x) + x


def made():
    return 4


def unseen():
    return 5


class C:
    def m(self):
        return 6
"""
TESTS = """\
import subprocess, sys
import pytest
from core import C, made, thrice, twice

@pytest.fixture(scope="session")
def four():
    return made()

@pytest.mark.parametrize("x", [1, 2])
def test_twice(x):
    assert twice(x) == 2 * x

class TestThrice:
    def test_it(self):
        assert thrice(5) == 15

def test_in_a_process():
    subprocess.run([sys.executable, "-c", "from core import C; assert C().m() == 6"], check=True)

def test_made(four):
    assert four == 4

def test_reads_the_text_and_calls_nothing():
    assert "x + x" in open("core.py").read()
"""


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenedProject]:
    require_sandbox()
    for name, text in {"core.py": CORE, "bench.py": "import core\n", "tests/test_core.py": TESTS}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    options = ImproveOptions(run="python bench.py", sandbox="bubblewrap")
    target = Target(tmp_path)
    with open_workload(WorkloadRequest(target, read(target), options, Session())) as found:
        assert isinstance(found, OpenedProject)
        yield found


@pytest.mark.full
def test_tests_that_can_see_a_change_are_run(opened: OpenedProject, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite_run, "SLOW_S", 0.0)
    original, runs = opened.program.revision, opened.runs
    tests = open_suite(runs, original, opened.request).complete()
    assert len(tests.passed) == 6, tests

    def draft(old: str, new: str) -> Revision:
        return Revision({path: text.replace(old, new) for path, text in original.items()})

    def asked(old: str, new: str) -> tuple[str, ...] | None:
        after = draft(old, new)
        return tests.reached.by(edits_of(original, after), original, after)

    home = "tests/test_core.py::"
    assert asked("x + x", "2 * x") == (
        f"{home}TestThrice::test_it", f"{home}test_twice[1]", f"{home}test_twice[2]",
    )  # fmt: skip
    assert asked("return 6", "return 7") == (f"{home}test_in_a_process",)
    assert asked("return 5", "return 6") == ()
    assert asked("return 4", "return 2 + 2") is None, "a fixture is made for whoever asks"
    right, wrong = draft("x + x", "2 * x"), draft("x + x", "3 * x")
    assert failing_reached(runs, right, tests, original, failing).wrong == ""
    assert "test_reads_the_text" in failing(runs, right, tests, original).wrong
    assert "test_twice[1]" in failing_reached(runs, wrong, tests, original, failing).wrong


TEXT = {"a.py": "import re\nN = 1\ndef f():\n    return N\nclass C:\n    K = 1\n    def m(self):\n        return 1\n"}
TESTS_OF = ImpactedTests({("a.py", 3): frozenset({"t"}), ("a.py", 7): frozenset({"u"})})


@pytest.mark.parametrize(
    ("old", "new", "asked"),
    [
        ("return N", "return 1", ("t",)),
        ("return N", "return _n()\ndef _n():\n    return 1", ("t",)),
        ("import re", "import re\nimport os", None),
        ("    return N", "    return M\nM = 1", ("t",)),
        ("N = 1", "N = 2", None),
        ("K = 1", "K = 2", None),
        ("        return 1", "        return 2\n    def _p(self):\n        return 2", ("u",)),
        ("        return 1", "        return 2\n    def p(self):\n        return 2", None),
        ("        return 1", "        return 2\n    def __eq__(self, other):\n        return True", None),
        ("class C:", "class C(int):", None),
    ],
)
def test_what_may_be_seen_elsewhere_is_asked_of_all(old: str, new: str, asked: tuple[str, ...] | None) -> None:
    before, after = Revision(TEXT), Revision({"a.py": TEXT["a.py"].replace(old, new, 1)})
    assert TESTS_OF.by(edits_of(before, after), before, after) == asked
    assert ImpactedTests().by(edits_of(before, after), before, after) is None
