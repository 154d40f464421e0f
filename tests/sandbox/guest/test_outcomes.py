"""Runs of a project's tests: what passes and why not, the calls of functions, and which tests reach them."""
# looks at sandbox/codeopt_sandbox/guest/tests/outcomes, sandbox/codeopt_sandbox/guest/tests/trace
# looks at sandbox/codeopt_sandbox/guest/tests

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from codeopt_sandbox.guest.tests.trace import PausedClock
from tests.sandbox.guest.alone import played
from tests.support.files import write_files

SHOP = '''\
def distinct(items, most=None):
    """Each once.

    >>> distinct([1, 1])
    [1]
    >>> distinct([2])
    []
    """
    return [*dict.fromkeys(items)][:most]


def counted(words):
    return len(distinct(words))


def unused():
    """
    >>> unused()
    """


if __name__ == "__main__":
    import sys
    distinct(sys.argv[1])
'''
PYTEST = """\
import multiprocessing, runpy, subprocess, sys, threading
import pytest
import shop


@pytest.fixture
def odd(request):
    yield 1
    assert request.node.name != "test_teardown", "not put back"


def test_first():
    assert shop.distinct([1, 1]) == [1]
    shop.distinct([1, 1])


def test_counted():
    assert shop.counted(["a"]) == 1


def test_distinct_fails():
    assert shop.distinct([3]) == [4], "three\\nis four"


def test_thread():
    threads = [threading.Thread(target=shop.counted, args=("xyz",)) for _ in range(2)]
    for each in threads:
        each.start()
        each.join()


@pytest.mark.parametrize("words", [["-c", "import shop; shop.distinct([9])"], ["shop.py", "s"], ["-m", "shop", "n"]])
def test_process(words):
    subprocess.run([sys.executable, *words], check=True)


def test_pool():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(shop.distinct, ["p"]) == [["p"]]


def test_runpy():
    sys.argv[1:] = ["r"]
    runpy.run_module("shop", run_name="__main__")


def test_no_text():
    shop.distinct(each for each in (object(),))


def test_teardown(odd):
    pass


@pytest.mark.skip(reason="not here")
def test_skipped():
    pass


@pytest.mark.xfail
def test_expected():
    assert shop.unused() is not None


@pytest.mark.parametrize("n", [1, 2])
def test_rows(n):
    pass
"""
MANAGE = "import sys, unittest  # django\nunittest.main(None, argv=['x', *sys.argv[3:]])\n"
UNIT = """\
import os, unittest
import shop


class Unit(unittest.TestCase):
    def test_passes(self):
        assert os.environ["PYTEST_CURRENT_TEST"].endswith(".py::Unit::test_passes (call)")
        shop.distinct([5])

    def test_fails(self):
        self.assertEqual(shop.distinct([5]), [6])

    def test_parts(self):
        for part in (1, 2):
            with self.subTest(part=part):
                assert part == 1, "two"

    @unittest.skip("later")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_too_good(self):
        pass
"""
FILES = {
    "shop.py": SHOP, "test_shop.py": PYTEST, "unit.py": UNIT, "broken.py": "import nothing_like_this\n",
    "sub/conftest.py": "1 / 0\n", "sub/test_sub.py": "def test_sub():\n    pass\n", "test_none.py": "",
    "site/manage.py": MANAGE, "site/app/__init__.py": "", "site/app/tests.py": UNIT,
}  # fmt: skip
PROGRAM = """
import json, os, sys

sys.path += {site}
os.chdir({folder!r})
request, main = _bundle.load("request"), _bundle.load("tests.__main__")


def play(runner, job, tests, seconds=60.0, most=50, files=(), functions=()):
    ref = request.FunctionRef("shop", {folder!r} + "/shop.py", "distinct", paths=({folder!r},))
    asked = request.TestRequest(job, tests, {folder!r}, most, seconds, files, functions)
    sys.modules["__main__"] = type(sys)("__main__")
    if runner == "unittest":
        sys.modules["pytest"] = None
    found = main.TestRun(_bundle, ref, asked, open("shop.py").read()).result()
    ranked = {{f"{{os.path.basename(file)}}:{{line}}": (total >= own > 0, tests)
              for file, line, total, own, tests in found.pop("ranked", ())}}
    return {{**found, "ranked": ranked, "loaded": "hypothesis" in sys.modules}}
"""
DISTINCT, COUNTED = "shop distinct", "shop counted"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_files(tmp_path_factory.mktemp("shop").resolve(), FILES)


def run(folder: Path, *row: object) -> dict[str, Any]:
    """The answer of a run of tests, `runner, job, tests, ...`."""
    site = [path for path in sys.path if path.endswith("-packages")]
    (found,) = played(PROGRAM.format(site=site, folder=str(folder)), [row])
    assert isinstance(found, dict), found
    calls = {named: [(text.partition("\t")[0], test.rpartition("::")[2]) for text, test in kept]
             for named, (kept, _) in found["recorded"].items()}  # fmt: skip
    return {**found, "calls": calls, "lost": [lost for _, lost in found["recorded"].values()]}


def test_tests_of_pytest(folder: Path) -> None:
    """Processes and threads that they start count for them."""
    files, functions = (str(folder / "shop.py"),), (DISTINCT, COUNTED)
    found = run(folder, "pytest", "pytest", ("test_shop.py", "broken.py"), 60.0, 50, files, functions)
    assert (found["ran"], found["cut"], found["error"]) == (True, False, "")
    passed = ["first", "counted", "thread", "pool", "runpy", "no_text", "rows[1]", "rows[2]"]
    assert [name.partition("::test_")[2] for name in found["passed"] if "process" not in name] == passed
    assert len(found["passed"]) == len(passed) + 3
    assert {name: why.partition(" assert")[0] for name, why in found["failed"].items()} == {
        "broken.py": "ModuleNotFoundError: No module named 'nothing_like_this'",
        "test_shop.py::test_distinct_fails": "AssertionError: three is four",
        "test_shop.py::test_teardown": "AssertionError: not put back",
    }
    assert list(found["skipped"]) == ["test_shop.py::test_skipped", "test_shop.py::test_expected"]
    assert (0 < found["seconds"] < 5, found["loaded"]) == (True, False)  # nothing that no test uses
    assert found["calls"] == {
        DISTINCT: [("f([3])", "test_distinct_fails"), ("f([1, 1])", "test_first"), ("f(['a'])", "test_counted"),
                   ("f('xyz')", "test_thread"), ("f([9])", "test_process[words0]"), ("f('s')", "test_process[words1]"),
                   ("f('n')", "test_process[words2]"), ("f('p')", "test_pool")],
        COUNTED: [("f(['a'])", "test_counted"), ("f('xyz')", "test_thread")],
    }  # fmt: skip
    assert [[*lost.values()] for lost in found["lost"]] == [[1], []]
    by_process = [f"process[words{at}]" for at in range(3)]
    reached = {place: {test.rpartition("test_")[2] for test in tests} for place, (_, tests) in found["ranked"].items()}
    assert reached == {
        "shop.py:1": {"distinct_fails", "first", "counted", "runpy", "no_text", "thread", "pool", *by_process},
        "shop.py:12": {"counted", "thread"},
        "shop.py:16": {"expected"},
    }
    assert all(is_timed for is_timed, _ in found["ranked"].values())


@pytest.mark.parametrize(
    ("row", "answer"),
    [
        (
            (("sub/test_sub.py", "test_none.py"),),
            (False, False, "", [], {"sub/test_sub.py": "its conftest.py cannot be loaded"}),
        ),
        ((("test_none.py",),), (False, False, "", [], {})),
        ((("gone.py",),), (False, False, "pytest ended with status 4", [], {})),
        ((("test_shop.py::test_rows",),), (True, False, "", ["rows[1]", "rows[2]"], {})),
        ((("test_shop.py::test_rows",), 0.0), (True, True, "", ["rows[1]"], {})),
    ],
)
def test_what_pytest_runs(folder: Path, row: tuple[object, ...], answer: tuple[object, ...]) -> None:
    found = run(folder, "pytest", "pytest", *row)
    passed = [name.rpartition("test_")[2] for name in found["passed"]]
    assert (found["ran"], found["cut"], found["error"], passed, found["failed"]) == answer


def test_tests_of_unittest(folder: Path) -> None:
    """Where there is no pytest."""
    found = run(folder, "unittest", "pytest", ("unit.py", "broken.py"), 60.0, 50, (), (DISTINCT,))
    assert (found["ran"], found["cut"], found["passed"]) == (True, False, ["unit.py::Unit::test_passes"])
    assert found["failed"] == {
        "broken": "ModuleNotFoundError: No module named 'nothing_like_this'",
        "unit.py::Unit::test_fails": "+ [6]",
        "unit.py::Unit::test_parts": "AssertionError: two",
        "unit.py::Unit::test_too_good": "it was expected to fail, and passes",
    }
    assert found["skipped"] == {"unit.py::Unit::test_skipped": "later"}
    assert found["calls"] == {DISTINCT: [("f([5])", "test_fails")]}
    assert 0 < found["seconds"] < 5
    found = run(folder, "pytest", "pytest", ("site/app/tests.py",))
    assert found["passed"] == ["site/app/tests.py::Unit::test_passes"]
    found = run(folder, "unittest", "pytest", ("unit.py",), 0.0)
    assert (found["cut"], [*found["failed"]]) == (True, ["unit.py::Unit::test_fails"])


def test_doctests(folder: Path) -> None:
    found = run(folder, "pytest", "doctest", (), 60.0, 50, (), (DISTINCT,))
    assert (found["passed"], found["failed"]) == (["shop.unused"], {"shop.distinct": "a doctest fails"})
    assert found["calls"] == {DISTINCT: [("f([1, 1])", "shop.distinct"), ("f([2])", "shop.distinct")]}


def test_no_time_passes_while_the_clock_is_paused() -> None:
    clock = PausedClock()
    seen: list[float] = []

    def look(deeper: bool) -> None:
        seen.append(clock())
        if deeper:
            paused(False)
        seen.append(clock())

    paused = clock.pausing(look)
    before = clock()
    paused(True)
    after = clock()
    assert (len(set(seen)), clock.lost > 0) == (1, True)
    assert before <= seen[0] <= after
