"""Which made-up calls are alike to the known ones, and which go beyond them, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read

PLAIN = "def f(a, b=None):\n    return a, b\n"
HINTED = """\
from collections.abc import Collection
def f(a: Collection[str], b: "int | None" = None, c: dict[str, list[float]] = {}):
    return a, b, c
"""
WIDE = "def f(a: list[dict], b=None):\n    return a, b\n"
RECORDS = [f"f([{{'id': {n}}}])" for n in (1, 2, 3)]
SUBCLASS = "load('types', 'new_class')('IntSubclass', (load('builtins', 'int'),))"
INDEX = "def f(a, b):\n    return a[b]\n"
SEARCH = "import bisect\ndef f(a, b):\n    return bisect.bisect(a, b)\n"
STEP = "def f(a, b):\n    return [a[i] + b[i] for i in range(len(a))]\n"
TABLE = "def f(a, b):\n    return [a[y][x] for y in range(b) for x in range(b)]\n"
ROWS = "def f(a, b):\n    for y in xrange(b):\n        row = a[y]\n        yield row[0]\n"
NODES = "def f(a, b):\n    return [a[x] + a[y] for x, y in b]\n"

LISTS = ["f([1, 2])", "f([3])", "f([])"]
CASES = [
    (PLAIN, LISTS, "f([5, 2])", ""),
    (PLAIN, LISTS, "f([-5, 2])", "a number below zero among the items for `a`"),
    (PLAIN, LISTS, "f([5, 0])", "zero among the items for `a`"),
    (PLAIN, LISTS, f"f([{2**53}])", "a number of 2**53 or more among the items for `a`"),
    (PLAIN, ["f([1, 2])", "f([-3])"], "f([0])", ""),
    (PLAIN, ["f(1)", "f(2)"], "f(-1)", ""),
    (PLAIN, ["f(1)", "f(2)", "f(0.5)"], "f(-1)", "a number below zero for `a`"),
    (HINTED, ["f(['a'], 1)", "f(['b'], 2)", "f(['c'], 4)"], "f(['d'], -1)", "a number below zero for `b`"),
    (PLAIN, LISTS, "f([])", ""),
    (PLAIN, ["f([1])", "f([2])", "f([3])"], "f([])", "an empty list for `a`"),
    (PLAIN, ["f('ab')", "f('c')", "f('d e')"], "f('xyz ')", ""),
    (PLAIN, ["f('ab')", "f('c')", "f('d e')"], "f('a1')", "digits for `a`"),
    (PLAIN, ["f('ab')", "f('c')", "f('d e')"], "f('\u00e9')", "characters beyond ASCII for `a`"),
    (PLAIN, [f"f([{{'id': {n}, 'name': 'n'}}])" for n in (1, 2, 3)], "f([{'id': 4, 'name': 'm', 'more': 'x'}])", ""),
    (PLAIN, [f"f([{{'id': {n}, 'name': 'n'}}])" for n in (1, 2, 3)], "f([{'name': 'm'}])",
     "a dict without 'id' among the items for `a`"),
    (WIDE, RECORDS, "f([{'id': 'x'}])", ""),
    (WIDE, RECORDS, f"f([{{'id': {SUBCLASS}(3)}}])", "an object of class IntSubclass among the values of id for `a`"),
    (PLAIN, LISTS, "f([1] * 3)", ""),
    (PLAIN, LISTS, "f([True])", "a bool among the items for `a`"),
    (PLAIN, LISTS, "f([1, None])", "None among the items for `a`"),
    (PLAIN, LISTS, "f((1,))", "a tuple for `a`"),
    (PLAIN, LISTS, "f([1], 'anything')", ""),
    (PLAIN, ["f(0.5)"], "f(nan)", "NaN or infinity for `a`"),
    (PLAIN, ["f(0.5)"], "f(-1e+300)", ""),
    (PLAIN, ["f(0.5)"], "f(Fraction(1, 2))", "Fraction for `a`"),
    (PLAIN, ["f('ab')"], "f('')", ""),
    (PLAIN, ["f(['ab'])"], "f([''])", "an empty text among the items for `a`"),
    (PLAIN, ["f(['ab', ''])"], "f([''])", ""),
    (PLAIN, ["f('a/b')"], "f('a//b')", "a doubled separator for `a`"),
    (PLAIN, ["f('ab')"], "f('a//b')", ""),
    (PLAIN, ["f([(1, 'a')])"], "f([('a', 1)])", "a text among the items for `a`"),
    (PLAIN, ["f({'a': [1]})"], "f({'b': ['x']})", "a text among the items for `a`"),
    (PLAIN, ["f(load('m', 'C')(1))"], "f(used(load('m', 'C')(2), do.add(1)))", ""),
    (PLAIN, ["f(load('m', 'C')(1))"], "f(load('m', 'D')(1))", "an object of class D for `a`"),
    (HINTED, ["f(['a'])"], "f(('b', 'c'))", "a tuple for `a`"),
    (HINTED, ["f(['a'])"], "f([1])", "an int among the items for `a`"),
    (HINTED, ["f(['a'], 3)"], "f([], None)", ""),
    (HINTED, ["f(['a'], 3)"], "f([], True)", "a bool for `b`"),
    (HINTED, ["f(['a'], c={'x': [0.5]})"], "f([], c={'y': [1, 2.5]})", ""),
    (INDEX, ["f([1, 2], 1)", "f('ab', 0)", "f([1], 0)"], "f([5], 0)", ""),
    (INDEX, ["f([1, 2], 1)", "f('ab', 0)", "f([1], 0)"], "f([5], 1)",
     "calls that break: `b` is an index within `a`"),
    (INDEX, ["f([1, 2], 1)", "f('ab', -1)", "f([1], 0)", "f([2], 0)"], "f([5], 1)", ""),
    (INDEX, ["f([1, 2], 1)"], "f([5], 1)", ""),
    (SEARCH, ["f([1, 2], 1)", "f([1, 2], 3)", "f([], 3)"], "f([2, 1], 1)", "calls that break: `a` is sorted"),
    (PLAIN, ["f([1, 3, 4, 9, 11])", "f([2, 5, 6, 7, 30])", "f([])", "f([0, 1, 1, 4, 8, 9])"], "f([2, 1])",
     "calls that break: `a` is sorted"),
    (PLAIN, ["f([1, 3, 4, 9, 11])", "f([2, 5, 6, 7, 30])", "f([])"], "f([2, 1])", ""),
    (PLAIN, [f"f({list(range(n))})" for n in (5, 9, 20, 300)], "f([2, 1])", ""),
    (STEP, ["f([1], [2])", "f([], [])", "f([1, 2], [2, 2])"], "f([1, 2], [2])",
     "calls that break: `a` is as long as `b`"),
    (NODES, ["f([1], [(0, 0)])", "f([1, 2], [(0, 1)])", "f([1, 2], [(1, 1)])"], "f([1, 2], [(0, 2)])",
     "calls that break: `b` holds indices within `a`"),
    (TABLE, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"], "f([[5, 6], [7, 8]], 2)", ""),
    (TABLE, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"], "f([[5, 6], [7]], 2)",
     "calls that break: the rows of `a` are equally long"),
    (TABLE, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"], "f([[5, 6], [7, 8]], 1)",
     "calls that break: `b` is the length of `a`"),
    (TABLE, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"], "f([[5], [6]], 2)",
     "calls that break: `b` is the length of each row of `a`"),
    (TABLE, ["f([[1, 2]], 1)", "f([[1], [3, 4]], 2)", "f([], 0)"], "f([[5], [6]], 2)", ""),
    (TABLE, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)", "f([[1, 2], None, [3]], 3)"],
     "f([[5, 6], [7]], 2)", ""),
    (ROWS, ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"], "f([[5], [6]], 2)",
     "calls that break: `b` is the length of each row of `a`"),
    (PLAIN, ["f([1])"], "not a call", ""),
]  # fmt: skip


SQUARES = ["f([[1]], 1)", "f([[1, 2], [3, 4]], 2)", "f([], 0)"]
COUNT = "def f(a, b):\n    return [a[i] for i in range(b)]\n"
KEPT = [
    (PLAIN, LISTS, "f([5, 2])", "f([5, 2])"),
    (PLAIN, LISTS, "f([-5, 2])", "f([5, 2])"),
    (PLAIN, LISTS, "f([True])", "f([3])"),
    (INDEX, ["f([1, 2], 1)", "f('ab', 0)", "f([1], 0)"], "f([5, 6], -1)", "f([5, 6], 1)"),
    (INDEX, ["f([1, 2], 1)", "f('ab', 0)", "f([1], 0)"], "f([5, 6], b=7)", "f([5, 6], b=1)"),
    (INDEX, ["f([1, 2], 1)", "f('ab', 0)", "f([1], 0)"], "f([], 0)", ""),
    (SEARCH, ["f([1, 2], 1)", "f([1, 2], 3)", "f([], 3)"], "f([2, 1, 2], 1)", "f([1, 2, 2], 1)"),
    (SEARCH, ["f((1, 2), 1)", "f((1, 2), 3)", "f((), 3)"], "f((2, 1), 1)", "f((1, 2), 1)"),
    (SEARCH, ["f([1, 2], 1)", "f(['x'], 'x')", "f([], 3)"], "f([2, 1, 'x'], 1)", ""),
    (SEARCH, ["f('ab', 'a')", "f('ac', 'c')", "f('', 'd')"], "f('ba', 'a')", "f('ab', 'a')"),
    (COUNT, ["f([1], 1)", "f([1, 2], 2)", "f([], 0)"], "f([5, 6, 7], 1)", "f([5, 6, 7], 3)"),
    (TABLE, SQUARES, "f([[5, 6], [7, 8]], 1)", "f([[5, 6], [7, 8]], 2)"),
    (TABLE, SQUARES, "f([[5, 6], [7, 8], [9, 0]], 2)", ""),
    (STEP, ["f([1], [2])", "f([], [])", "f([1, 2], [2, 2])"], "f([1, 2], [2])", "f([1, 2], [2, 2])"),
    (PLAIN, ["f([1])"], "not a call", "not a call"),
]  # fmt: skip


@pytest.fixture
def contract(tmp_path: Path, source: str, known: list[str]) -> Contract:
    path = tmp_path / "subject.py"
    path.write_text(source)
    return contract_of(read_function(path, "f"), [*map(read, known)])


@pytest.mark.parametrize(("source", "known", "call", "why"), CASES)
def test_why_a_call_goes_beyond_the_known_ones(contract: Contract, call: str, why: str) -> None:
    assert contract.beyond(read(call)) == why
    assert contract.within([read(call)]) or why


@pytest.mark.parametrize(("source", "known", "call", "kept"), KEPT)
def test_a_call_is_changed_to_stay_within_the_known_ones(contract: Contract, call: str, kept: str) -> None:
    assert [each.text for each in contract.within([read(call)]).values()] == [kept] * bool(kept)
    assert not kept or not contract.beyond(read(kept))


LONG = list(range(1, 300_000))
"""Longer than any call that is changed: what a calls file gives for timing."""


@pytest.mark.parametrize(
    ("long", "call", "why"),
    [
        ([*LONG, -1], "f([-3], 2)", ""),
        ([*LONG, 0.5], "f([1.5], 2)", ""),
        (LONG, "f([-3], 2)", "a number below zero among the items for `xs`"),
        (LONG, "f([1, 2], 2**60)", ""),
    ],
)
def test_calls_that_are_timed_say_what_arguments_are(tmp_path: Path, long: list[float], call: str, why: str) -> None:
    (tmp_path / "m.py").write_text("def f(xs, n):\n    return [x * n for x in xs]\n")
    known = ["f([1, 2], 2)", "f([3], 4)", "f([5, 6, 7], 1)", f"f({long}, {2**53})"]
    assert contract_of(read_function(tmp_path / "m.py", "f"), [*map(read, known)]).beyond(read(call)) == why
