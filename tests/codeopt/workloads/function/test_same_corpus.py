"""The same is found of the same project: calls and outcomes of its tests by every runner, calls of hints, docstrings
and a calls file.
`python -m tests.codeopt.workloads.function.test_same_corpus` rewrites the table."""
# looks at sandbox/codeopt_sandbox/guest/tests, codeopt/workloads/function/corpus, codeopt/workloads/sandbox_view

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from codeopt.core.program import TracedCalls
from codeopt.workloads.function.corpus.existing_tests import Tests as RunOfTests
from codeopt.workloads.function.corpus.existing_tests import find_tests, run_tests
from codeopt.workloads.function.corpus.sources import Ask
from codeopt.workloads.function.harness import FunctionHarness, open_harness
from codeopt.workloads.source.functions import read_function
from tests.conftest import require_sandbox
from tests.support.files import write_files
from tests.support.judges import open_with
from tests.support.recorded import Row, digest, recorded, write_down

TABLE = Path(__file__).with_name("same_corpus.txt")
pytestmark = pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the texts of values are those of Python 3.11")
SHOP = '''\
import threading


class Basket:
    """Things."""

    def __init__(self, items, name="b"):
        self.items, self.name = list(items), name

    def add(self, item, times=1):
        self.items.extend([item] * times)
        return self

    def total(self, least: int = 0) -> int:
        return sum(each for each in self.items if each >= least)

    @classmethod
    def of(cls, *items):
        return cls(items)


def distinct(items: list[int], most: int | None = None) -> list[int]:
    """Items in their order, each once, 0 <= most.

    >>> distinct([1, 2, 1])
    [1, 2]
    >>> distinct([3, 3, 1], 1)
    [3]
    """
    if most is not None and most < 0:
        raise ValueError(most)
    found = []
    for each in items:
        if each not in found and (most is None or len(found) < most):
            found.append(each)
    return found


def counted(words, key=len):
    return sum(1 for a in words for b in words if key(a) == key(b))


async def later(n):
    return n


def gen(n):
    yield from range(n)


def held(stream, lock=None):
    return bool(stream)


def deep(n):
    return 0 if n < 1 else 1 + deep(n - 1)


def untested(value: int) -> int:
    return value
'''
QUICK = SHOP.replace("        if each not in found and (most is None or len(found) < most):\n            found.append(each)\n    return found",
                     "        pass\n    return list(dict.fromkeys(items))[:most]")  # fmt: skip
FILES = {
    "shop.py": SHOP,
    "conftest.py": "import pytest\n\n@pytest.fixture\ndef basket():\n    import shop\n    return shop.Basket([1, 5], name='c')\n",
    "tests/test_shop.py": """\
import asyncio, subprocess, sys, threading
import pytest
import shop

@pytest.mark.parametrize("n", [0, 3, 40])
def test_distinct(n):
    assert len(shop.distinct([at % 7 for at in range(n)])) <= 7

def test_most():
    assert shop.distinct([1, 2, 3], most=2) == [1, 2]
    with pytest.raises(ValueError):
        shop.distinct([], -1)

def test_total(basket):
    assert basket.add(7, times=2).total(5) == 19
    assert shop.Basket.of(1, 2).total() == 3

def test_counted():
    assert shop.counted(["a", "bb", "c"]) == 5
    assert shop.counted(["a", "b"], key=lambda word: word) == 2

def test_rest():
    assert asyncio.run(shop.later(3)) == 3 and list(shop.gen(3)) == [0, 1, 2] and shop.deep(30) == 30
    with open(__file__) as stream:
        assert shop.held(stream, threading.Lock())

def test_process():
    subprocess.run([sys.executable, "-c", "import shop; shop.distinct([9, 9])"], check=True)

def test_fails():
    assert shop.distinct([4, 4]) == [4, 4]

@pytest.mark.skip(reason="not here")
def test_skipped():
    pass

@pytest.mark.xfail
def test_expected():
    assert shop.deep(1) < 0, "as expected"

class TestBox:
    def setup_method(self):
        self.box = shop.Basket([2])

    def test_box(self):
        assert self.box.total(1) == 2
""",
    "tests/test_unit.py": """\
import unittest
import shop

class Unit(unittest.TestCase):
    def test_distinct(self):
        for n in (1, 2):
            with self.subTest(n=n):
                self.assertEqual(shop.distinct([n, n]), [n])

    def test_wrong(self):
        self.assertEqual(shop.distinct([6, 6]), [])

    @unittest.skip("no")
    def test_skipped(self):
        pass

    @unittest.expectedFailure
    def test_expected(self):
        self.assertEqual(shop.deep(2), 0)
""",
    "tests/test_broken.py": "import no_such_module\n\ndef test_it():\n    pass\n",
    "tests/test_other.py": "def test_other():\n    assert True\n",
    "calls.py": "CALLS = [(([1, 2, 1],), {}), ([3],), (([5, 5, 6], 1), {})]\nBIG = [(([k % 50 for k in range(400)],), {})]\n",
    "pyproject.toml": "",
}
NAMES = ("distinct", "Basket.total", "Basket.add", "counted", "held", "deep", "later", "gen")


def harness(name: str, ask: object) -> Iterator[object]:
    with TemporaryDirectory() as folder:
        write_files(Path(folder), FILES)
        with open_harness(read_function(Path(folder, "shop.py"), name), open_with) as opened:
            yield from (without_places(each, folder) for each in ask(opened))  # type: ignore[operator]


def without_places(value: object, folder: str) -> str:
    """The text of a value but for where it lies."""
    return re.sub(r"\b0x[0-9a-f]{6,}", "0x", str(value).replace(folder, "@"))


def shown(found: RunOfTests, named: str = "") -> Iterator[object]:
    """A run of tests without its times."""
    found = replace(found, seconds=0.0, ranked=tuple(sorted((replace(each, seconds=0.0, own_s=0.0) for each in found.ranked),
                                                            key=lambda each: (each.file, each.line))))  # fmt: skip
    own = found.recorded.get(named, TracedCalls())
    yield from (found.passed, sorted(found.failed), found.skipped, own.lost, found.error, found.cut, found.ranked)
    yield from own.calls.items()
    for name, traced in sorted(found.recorded.items()) if found.ranked else ():
        yield name, sorted(traced.calls.items()), sorted(traced.lost.items()), traced.tests
    yield found.shortfall(4), found.problem(["tests/test_shop.py::test_most", "none"])
    yield found.not_passed(found.passed[:2])


def recording(opened: FunctionHarness) -> Iterator[object]:
    tests, named = find_tests(opened), Ask(opened).named
    yield tests
    every = [*tests.calling, *tests.importing, *tests.perhaps]
    yield from shown(run_tests(opened, SHOP, every, functions=[named]), named)


def failing(opened: FunctionHarness) -> Iterator[object]:
    tests = find_tests(opened)
    for text in (SHOP.replace("found = []", "found = [0]"), "def ("):
        yield from shown(run_tests(opened, text, tests.calling))


def doctests(opened: FunctionHarness) -> Iterator[object]:
    named = Ask(opened).named
    yield from shown(run_tests(opened, SHOP, ["distinct"], job="doctest", functions=[named]), named)


def timed(opened: FunctionHarness) -> Iterator[object]:
    tests = find_tests(opened)
    file = opened.view.inside(opened.view.module.root / "shop.py", opened.sandbox.isolated)
    functions = [f"shop {name}" for name in NAMES if "." not in name]
    yield from shown(run_tests(opened, SHOP, tests.calling, files=[file], functions=functions), Ask(opened).named)


RECORDED = ("distinct", "held")
ROWS: dict[str, Row] = {f"recorded: {name}": partial(harness, name, recording) for name in RECORDED}
ROWS |= {
    "drafts that fail": partial(harness, "distinct", failing),
    "doctests": partial(harness, "distinct", doctests),
    "all functions at once": partial(harness, "distinct", timed),
}


@pytest.mark.parametrize("name", ROWS)
def test_the_same_is_found(name: str) -> None:
    require_sandbox()
    assert digest(ROWS[name]()) == recorded(TABLE).get(name), "\n".join(map(str, ROWS[name]()))


def test_the_table_has_these_rows() -> None:
    assert list(recorded(TABLE)) == list(ROWS)


if __name__ == "__main__":
    write_down(TABLE, ROWS)
