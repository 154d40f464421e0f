"""Which files hold a project's tests, and which of them are nearest to a function."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from codeopt.workloads.sandbox_view.view import locate, tracked
from codeopt.workloads.source.edits import OUTSIDE, CodeEdit
from codeopt.workloads.source.module_graph import importers
from codeopt.workloads.source.test_files import find_test_files
from codeopt.workloads.tests import ProjectTests, nearest_tests
from tests.codeopt.review.pull_request import propose

CASES = b"import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"t/test_a.py": b"", "a.py": b"", "b_test.py": b"", "t/conftest.py": b""}, ["b_test.py", "t/test_a.py"]),
        ({"tests/tests.py": b"def test_a(): pass\n", "app/tests.py": b""}, ["app/tests.py", "tests/tests.py"]),
        ({"app/checks.py": CASES, "app/cases.py": b"# a TestCase\n"}, ["app/checks.py"]),
        ({"pytest.ini": b"[pytest]\npython_files = check_*.py\n", "t/check_a.py": b""}, ["t/check_a.py"]),
        ({"tox.ini": b"[testenv]\ncommands = pytest t/all.py\n", "t/all.py": b"def test_a(): pass\n"}, ["t/all.py"]),
        ({"Makefile": b"test:\n\tpython -m pytest ./t/suite.py a.py\n", "t/suite.py": b"def test_a(): pass\n",
          "a.py": b"def f(): pass\n"}, ["t/suite.py"]),
        ({"run.sh": b"python t/all.py", "t/all.py": b"class TestAll:\n    def test_it(self): pass\n"}, ["t/all.py"]),
        ({"bench.py": b"", "test_bench.py": b""}, []),
    ],
)  # fmt: skip
def test_files_that_hold_tests(files: Mapping[str, bytes], found: list[str]) -> None:
    """By pytest's and Django's names, by settings, by classes and by what runners name; never the command itself."""
    assert list(find_test_files(files, ("test_bench.py",))) == found


NEAR = {
    "src/pack/core/add.py": b"""from ..util import x

def total(xs):
    return _plus(xs)

def _plus(xs):
    return x(xs)

def other(xs):
    "Does not ask total."
    return xs

class Sum:
    def __init__(self):
        self.now = 0
""",
    "src/pack/core/__init__.py": b"from .add import Sum, total\n",
    "src/pack/__init__.py": b"from pack.core import (\n    Sum,\n    total,\n)\n",
    "src/pack/main.py": b"from pack import total\n\ndef main(words):\n    print(total(words))\n",
    "src/pack/util.py": b"def x(xs):\n    return xs\n",
    "src/pack/core/tests/test_add.py": b"from pack import other\nother(1)\n",
    "src/pack/core/tests/test_mul.py": b"from pack.core.add import total\ntotal(1)\n",
    "src/pack/tests/test_sum.py": b"import pack\npack.Sum()\n",
    "src/pack/tests/test_main.py": b"from pack.main import main\nmain([])\n",
    "src/pack/tests/test_util.py": b"from pack.util import x\nx(1)\n",
    "other/test_other.py": b"import os\ntotal = 1\n",
}


@pytest.mark.parametrize(
    ("changed", "reaching", "next_one"),
    [
        ("core/add.py::_plus", ["test_mul", "test_main"], "test_add"),  # by a call, by two; named after it, no call
        ("core/add.py::other", ["test_add"], "test_mul"),
        ("core/add.py::Sum.__init__", ["test_sum"], "test_add"),  # of a special method the class is named
        ("util.py::x", ["test_util", "test_mul", "test_main"], "test_add"),  # which imports it
        (f"core/add.py::{OUTSIDE}", ["test_add", "test_mul", "test_sum", "test_main"], "test_util"),
    ],
)
def test_the_tests_that_reach_a_change_come_first(changed: str, reaching: list[str], next_one: str) -> None:
    path, _, name = changed.partition("::")
    tests = [path for path in NEAR if "test_" in path]
    found = nearest_tests([CodeEdit(f"src/pack/{path}", name)], tests, NEAR, importers(NEAR))
    paths = [*found.reaching, *found.others]
    names = [Path(each).stem for each in paths]
    assert (names[: len(found.calling)], names[len(found.calling)]) == (reaching, next_one)
    assert sorted(paths) == sorted(tests)


MONEY = """\
class Money:
    def __init__(self, text):
        self.cents = int(text)

    def plus(self, other):
        return Money(self.cents + other.cents)


def parsed(text):
    return Money(text)


def version():
    return 1
"""
TILL = "import money\n\n\nclass Till:\n    def __init__(self):\n        self.paid = [money.parsed('1')]\n"
TILL += "\n\ndef opened():\n    return 8\n"
OTHER_INIT = "from {module} import {name}\n\n\nclass Other:\n    def __init__(self):\n        self.found = {name}\n"
INIT, PLUS, VERSION = "Money.__init__", "Money.plus", "version"


@pytest.mark.parametrize(
    ("qualname", "test", "found"),
    [
        (INIT, "from money import Money\n\ndef test_it():\n    assert Money('1').cents == 1\n", True),
        (INIT, "import money\n\ndef test_it():\n    assert money.parsed('1').cents == 1\n", True),
        (INIT, "from till import Till\n\ndef test_it():\n    assert Till().paid\n", True),
        (INIT, "import till\n\ndef test_it(price):\n    assert price\n", False),
        (INIT, OTHER_INIT.format(module="money", name="version"), False),
        (INIT, OTHER_INIT.format(module="till", name="opened"), False),
        (PLUS, "import money\n\ndef test_it(one, other):\n    assert one.plus(other)\n", True),
        (PLUS, "from till import Till\n\ndef test_it():\n    assert Till().paid\n", True),
        (PLUS, "import money\n\ndef test_it():\n    assert money.version() == 1\n", False),
        (VERSION, "import money\n\ndef test_it():\n    assert money.version() == 1\n", True),
        (VERSION, "import money\n\ndef test_it():\n    assert money.Money('1').cents\n", False),
    ],
)
@pytest.mark.parametrize("fixture", [False, True])
def test_tests_are_found_by_what_they_reach(
    qualname: str, test: str, found: bool, fixture: bool, tmp_path: Path
) -> None:
    """A conftest.py that names the class makes every test of its folder one that may call it."""
    files = {"money.py": MONEY, "till.py": TILL, "tests/test_it.py": test}
    if fixture:
        files["tests/conftest.py"] = "import money\n\n\ndef price():\n    return money.Money('3')\n"
    folder = propose(tmp_path / "r", files, {})
    module = locate(folder / "money.py")
    expected = found or (fixture and qualname != VERSION)
    assert (
        ProjectTests(module, module.root, tracked(module)).nearest([module], qualname).calling
        == ("tests/test_it.py",) * expected
    )


def test_settings_name_the_tests_of_a_function(tmp_path: Path) -> None:
    test = "import money\n\ndef test_it():\n    assert money.version() == 1\n"
    settings = "[pytest]\npython_files = check_*.py\n"
    files = {"app/money.py": MONEY, "pytest.ini": settings, "tests/check_money.py": test}
    folder = propose(tmp_path / "r", files, {})
    module = locate(folder / "app/money.py")
    assert ProjectTests(module, module.root, tracked(module)).nearest([module], VERSION).calling == (
        "tests/check_money.py",
    )
