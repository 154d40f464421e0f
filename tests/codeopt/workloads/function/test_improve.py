"""`codeopt improve FILE::FUNCTION` from end to end: with the rules, and with a model that errs twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt, reply
from tests.conftest import require_sandbox
from tests.support.files import make_repository
from tests.support.wire_server import WireServer

pytestmark = pytest.mark.full

MODULE = '''\
"""A module."""
from .util import helper

K = 3   # odd   spacing


class Box:
    def __init__(self, items):
        self.items = items

    def distinct(self, k):
        """How many distinct items, times k."""
        result = []
        for x in self.items:
            if x not in result:
                result = result + [helper(x)]
        return len(result) * k


def joined( words ):   # as it was
    text = ""
    for w in words:
        text = text + helper(w) + ","
    return text
'''
TESTS = """\
from pkg.mod import Box

def test_distinct():
    for n in range(14):
        assert Box(list(range(n)) + [3, 3]).distinct(2) == 2 * len({*range(n), 3})

def test_big():
    assert Box([n * 7 % 1009 for n in range(1500)]).distinct(1) == 1009

def test_that_fails_anyway():
    assert Box([]).distinct(1) == 5
"""
CONFTEST = """\
import sys

def pytest_unconfigure():
    assert "hypothesis" not in sys.modules, "a second of imports for tests that do without it"
"""
WRONG = "class Box:\n    def distinct(self, k):\n        return len(self.items) * k\n"
RIGHT = """\
class Box:
    def distinct(self, k):
        return len(set(map(helper, self.items))) * k


print("left over")
"""
QUICK = ("--max-rounds", "1", "--max-pairs", "7", "--no-profile")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package with tests, tracked by git, and a secret that is not."""
    files = {"pkg/__init__.py": "", "pkg/util.py": "def helper(x):\n    return x\n", "pkg/mod.py": MODULE}
    make_repository(tmp_path, {**files, "tests/test_mod.py": TESTS, "tests/conftest.py": CONFTEST})
    (tmp_path / ".env").write_text("KEY=1\n")
    return tmp_path


def test_a_model_is_told_of_the_failing_call_and_only_the_function_changes(project: Path) -> None:
    require_sandbox()
    told = [
        "A list is searched.\nVERDICT: IMPROVE",
        reply(WRONG, "count them"),
        "It counts repeats.\nVERDICT: IMPROVE",
        reply(RIGHT, "a set"),
        "Good.\nVERDICT: DONE",
    ]
    with WireServer(told) as server:
        flags = ("--base-url", server.base_url, "--model", server.model, "--sandbox", "bubblewrap", "--write", "--json")
        done = codeopt("improve", "pkg/mod.py::Box.distinct", *flags, "--no-profile", "--max-pairs", "30", cwd=project)
    assert done.status == 0, done.err
    found = done.json
    assert (found["accepted"], found["best_round"]) == (True, 2)
    assert found["speedup"]["ci_low"] > 2
    assert [each["verdict"] for each in found["rounds"]] == ["wrong", "faster"]
    assert found["evidence"]["sources"]["tests"] >= 10
    assert found["evidence"]["tests"] == 2
    prompt = server.prompts[1]
    shown = prompt[prompt.rindex("# History of program ") :]
    assert "def distinct" in shown
    assert "from .util import helper" in shown
    assert "def joined" not in shown
    assert "expected returns" in server.prompts[2]
    assert "Box.distinct(Box([" in server.prompts[2]
    assert "call made by a test (tests/test_mod.py::test_" in server.prompts[2]
    assert not any(word in "".join(server.prompts) for word in ("unpickle(", "load("))
    new = (project / "pkg/mod.py").read_text()
    assert new == MODULE.replace(
        MODULE[MODULE.index("        result = []") : MODULE.index("\n\ndef joined")],
        "        return len(set(map(helper, self.items))) * k\n",
    )


def test_a_model_writes_calls_where_nothing_else_gives_enough(project: Path) -> None:
    require_sandbox()
    calls = (
        "CALLS = [((['a', 'b'] * n,), {}) for n in range(14)]\nBIG = [((['ab%d' % i] * 4000,), {}) for i in range(2)]\n"
    )
    told = [
        reply(calls, "calls"),
        "Adds texts.\nVERDICT: IMPROVE",
        reply("def joined(words):\n    return ''\n", "nothing"),
    ]
    with WireServer(told) as server:
        flags = ("--base-url", server.base_url, "--model", server.model, "--sandbox", "bubblewrap", *QUICK, "--json")
        done = codeopt("improve", "pkg/mod.py::joined", "--no-tests", *flags, cwd=project)
    assert done.status in (1, 6), done.err
    assert done.json["evidence"]["sources"]["model"] == 14
    assert done.json["rounds"][0]["verdict"] == "wrong"
    assert "def joined" in server.prompts[0]
