"""When a set of known values is closed, on both sides of the threshold; and what calls keep that are repaired."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.contract.properties import closed_set
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read

DRAW = Random(2)
MONTHS = [[DRAW.randint(1, 12) for _ in range(size)] for size in (1, 2, 3, 5, 8, 12, 20, 40, 80)]
FEW = [[1, 2, 3], [1, 2], [3, 1, 2], [1], [2, 3]] * 2
"""As people write them."""


@pytest.mark.parametrize(
    ("calls", "is_closed"),
    [
        (MONTHS, True),
        ([*MONTHS, [13]], False),
        ([*MONTHS, [13, 13]], True),
        ([[size] for size in range(1, 13)], False),
        (FEW, False),
        (FEW * 10, True),
        ([[1, 2] * 500], False),
        ([[DRAW.randrange(100) for _ in range(1000)] for _ in range(3)], False),
        ([], False),
    ],
)
def test_a_set_is_closed_where_a_new_value_is_improbable(calls: list[list[int]], is_closed: bool) -> None:
    assert (closed_set(calls) is not None) is is_closed


def learnt(tmp_path: Path, parameters: str, calls: list[str]) -> Contract:
    (tmp_path / "m.py").write_text(f"def f({parameters}):\n    return 0\n")
    return contract_of(read_function(tmp_path / "m.py", "f"), [*map(read, calls)])


ARRAY = "load('numpy', 'array')"
LETTERS = "abcdefghijklm"
WORDS = ("BUY", "SELL", "FEE")
WEIGHTS = [[int(at == (99, 9)) for at in zip([n] * 100, range(100), strict=True)] for n in range(100)]
"""Larger than the beginning of a table by which the chance of a pattern is counted."""
KNOWN = {
    "months": [f"f({months})" for months in MONTHS],
    "marks, low, high": [
        f"f({sorted(DRAW.sample(range(900), n))}, {', '.join(map(str, sorted(DRAW.sample(range(900), 2))))})"
        for n in range(2, 14)
    ],
    "items, k": [f"f({[n * at % 7 for at in range(n)]}, {n - n % 3})" for n in range(3, 14)],
    "start, end": [f"f({n * 7 % 5 + 0.5}, {n * 7 % 5 + n % 3 + 0.5})" for n in range(14)],
    "text": [f"f('{at % 24:02}:{at % 60:02}')" for at in range(60)],
    "points, width": [f"f({ARRAY}({[[0.5 * n, 1.5]] * n}, 'float64'), {n - n % 3})" for n in range(3, 14)],
    "tree, times": [f"f(load('m', 'Tree')(items={[*range(n)]}), {n % 4})" for n in range(2, 14)],
    "graph": [
        f"f({ {'nodes': n, 'edges': [(one, two) for two in range(n) for one in range(two) if (n + one + two) % 3]} })"
        for n in range(2, 14)
    ],
    "table": [f"f({[[a * b % 7 for a in range(n)] for b in range(n)]})" for n in range(2, 9)],
    "ledger": [
        repr("".join(f"{DRAW.choice(WORDS)} {n}.5\n" for n in range(DRAW.randint(3, 30)))).join(("f(", ")"))
        for _ in range(30)
    ],
    "maze": [repr("".join(DRAW.choices("#. SE\n", k=90))).join(("f(", ")")) for _ in range(30)],
    "scores": [f"f({[[f'n{at}', at + 1] for at in range(n)]})" for n in range(3, 14)],
    "prices, order": [
        f"f({ {name: at for at, name in enumerate(LETTERS[:n])} }, {[LETTERS[at * 3 % n] for at in range(n // 2 + 1)]})"
        for n in range(3, 14)
    ],
    "shop": [
        f"f({ {'prices': dict.fromkeys(LETTERS[:n], 1), 'order': [LETTERS[at * 3 % n] for at in range(n // 2 + 1)]} })"
        for n in range(3, 14)
    ],
    "shares": [f"f({[1 / (2 * n)] * n + [0.5]})" for n in range(2, 9)],
    "values": [f"f(iter({[*range(n)]}))" for n in range(2, 9)] + ["f([1])", "f([2])"],
}


@pytest.mark.parametrize("parameters", KNOWN)
def test_what_is_made_keeps_the_contract_or_breaks_one_thing_of_it(parameters: str, tmp_path: Path) -> None:
    contract = learnt(tmp_path, parameters, KNOWN[parameters])
    made = derive([*map(read, KNOWN[parameters])], 300, 1)
    shaped = contract.shaped(made)
    kept, before = (len([each for each in calls if not contract.beyond(each)]) for calls in (shaped, made))
    assert kept > 0.7 * len(shaped)
    assert kept > before


@pytest.mark.parametrize(
    ("parameters", "call", "why"),
    [
        ("months", "f([13])", "a number other than 1 to 12 among the items for `months`"),
        ("marks, low, high", "f([300, 100, 200], 30, 90)", "calls that break: `marks` is sorted"),
        ("marks, low, high", "f([10, 20, 30], 90, 30)", "calls that break: `low` is at most `high`"),
        ("marks, low, high", "f([10, 20, 950], 30, 5000)", ""),
        ("items, k", "f(recipe('list', 90000, 1, ('int', 0, 6), '', False), 80000)", ""),
        ("items, k", "f(recipe('list', 90000, 1, ('int', 0, 6), '', False), 95000)", "calls that break: `k` is"),
        ("start, end", "f(2.5, 2.5)", ""),
        ("start, end", "f(2.5, 1.5)", "calls that break: `start` is at most `end`"),
        ("text", "f('1:30')", "a text of another form than 00:00 for `text`"),
        ("text", "f('23:59')", ""),
        ("points, width", f"f({ARRAY}([[1.5, 2.5]], 'float32'), 1)", "array of float32 for `points`"),
        ("points, width", f"f({ARRAY}([[1.5, 2.5]], 'float64'), 9)", "calls that break: `width` is at most"),
        ("graph", "f({1: 8, 'nodes': 2, 'edges': [(0, 1)]})", ""),
        ("graph", "f({1: 8, 'nodes': 2, 'edges': [(0, 3)]})", "calls that break: `graph['edges']` holds indices"),
        ("table", "f([[1, 0], [5, 5]])", "calls that break: `table` is symmetric"),
        ("table", f"f({WEIGHTS})", "calls that break: `table` is symmetric"),
        ("prices, order", "f({'a': 1, 'b': 2, 'c': 3}, ['b', 'd'])", "calls that break: `order` is a key of `prices`"),
        ("prices, order", "f({'a': 1, 'b': 2, 'c': 3, 'd': 4}, ['b', 'd'])", ""),
        ("shop", "f({'prices': {'a': 1, 'b': 1, 'c': 1}, 'order': ['b', 'd']})", ""),
        ("shares", "f([0.25, 0.5])", "calls that break: `shares` has the sum 1"),
        ("shares", "f([0.25, 0.25, 0.5])", ""),
        ("ledger", "f('HOLD 3.5')", ""),
        ("maze", "f('H.E')", "characters other than '\\n', ' ', #, ., E, S for `maze`"),
    ],
)  # fmt: skip
def test_what_is_unusual(parameters: str, call: str, why: str, tmp_path: Path) -> None:
    found = learnt(tmp_path, parameters, KNOWN[parameters]).beyond(read(call))
    assert found == why or (why and found.startswith(why)), found


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ("values", "values: list of int or iterator of int >= 0"),
        ("points, width", "`width` is at most the length of `points`"),
        ("scores", "each number of `scores` is at most the length of `scores`"),
    ],
)
def test_the_line_of_a_contract(parameters: str, words: str, tmp_path: Path) -> None:
    assert words in learnt(tmp_path, parameters, KNOWN[parameters]).words
