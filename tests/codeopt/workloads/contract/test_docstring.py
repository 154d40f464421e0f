"""Bounds that a docstring states: which are read, and what they do to the contract."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from codeopt.workloads.contract.function import Contract, contract_of
from codeopt.workloads.contract.function_text import stated_bounds
from codeopt.workloads.source.functions import read_function
from codeopt.workloads.source.literals import read

GOOGLE = "Sums.\n\nArgs:\n    n (int): The size. Must be non-negative.\n    k: at least 2\n"
NUMPY = "Sums.\n\nParameters\n----------\nn : int\n    Must be positive.\nk : int\n    number of positive samples\n"


@pytest.mark.parametrize(
    ("docstring", "bounds"),
    [
        ("n must be positive.", ["n > 0"]),
        ("`n` must be a non-negative integer.", ["n >= 0"]),
        ("n should be greater than 3.", ["n > 3"]),
        ("Adds up to n; n is a positive integer.", ["n > 0"]),
        ("Takes a positive integer n.", ["n > 0"]),
        ("1 <= n <= 10**5", ["n >= 1", "n <= 100000"]),
        ("-10**9 <= n < 2.5", ["n >= -1e+09", "n < 2.5"]),
        ("Adds.\n\n- 1 \u2264 n \u2264 10^5\n- 0 < k", ["n >= 1", "n <= 100000", "k > 0"]),
        ("0 < n < 16**512", ["n > 0", "n < inf"]),
        ("0 < len(items) < 100", ["len(items) > 0", "len(items) < 100"]),
        (":param n: how many, >= 0\n:param int k: a positive integer", ["n >= 0", "k > 0"]),
        (GOOGLE, ["n >= 0", "k >= 2"]),
        (NUMPY, ["n > 0"]),
        ("n > 0 and k >= 1", ["n > 0", "k >= 1"]),
        ("0 <= k < n", ["k >= 0"]),
        ("n is from 0 to 99.", ["0 <= n <= 99"]),
        (":param n: between 1 and 12", ["1 <= n <= 12"]),
        ("Digits of n from 0 to 9.", []),
        ("Returns -1 if n < 0.", []),
        ("If n >= 0 the sum,\nelse something", []),
        ("n must be positive when k is 1", []),
        ("n must be positive or zero", []),
        ("n must not be positive", []),
        ("n - k >= 0, n >= 10*k, 2*n <= 9, n.size < 3, n[0] > 1", []),
        ("Sum of n positive numbers; other >= 3", []),
        (">>> f(3) < 4\nTrue\nn <= 3", []),
        ("", []),
    ],
)  # fmt: skip
def test_only_plain_statements_are_read(docstring: str, bounds: list[str]) -> None:
    node = ast.parse(f"def f(n, k=1, items=None):\n    {docstring!r}\n").body[0]
    assert isinstance(node, ast.FunctionDef)
    assert [each.words.removeprefix("the docstring says ") for each in stated_bounds(node)] == bounds


def learnt(tmp_path: Path, docstring: str, known: list[str], *, vouched: bool = True) -> Contract:
    (tmp_path / "m.py").write_text(f"def f(n, items=()):\n    {docstring!r}\n    return n\n")
    return contract_of(read_function(tmp_path / "m.py", "f"), [*map(read, known)], vouched=vouched)


@pytest.mark.parametrize(
    ("docstring", "known", "asked", "why"),
    [
        ("0 <= n <= 9", "123", "f(10)", "calls that break: the docstring says n <= 9"),
        ("0 <= n <= 9", "123", "f(0)", ""),
        ("n >= -3", "123", "f(-2)", ""),
        ("n is from 0 to 99", "123", "f(100)", "calls that break: the docstring says 0 <= n <= 99"),
        ("n is from 0 to 99", "123", "f(0)", ""),
        ("Adds items, sorted, to n.", "123", "f(1, (2, 1))", "calls that break: `items` is sorted"),
        ("n > 0", "123", "f(0)", "calls that break: the docstring says n > 0"),
        ("", "123", "f(0)", "zero for `n`"),
        ("n > 2", "123", "f(1)", ""),
        ("len(items) <= 2", "123", "f(1, (1, 2, 3))", "calls that break: the docstring says len(items) <= 2"),
        ("n must be positive", "1", "f('a')", "a text for `n`"),
    ],
)
def test_a_bound_tells_what_is_beyond_and_what_is_not(
    docstring: str, known: str, asked: str, why: str, tmp_path: Path
) -> None:
    """What is known takes a bound back that it breaks."""
    calls = [f"f({number}, ())" for number in known]
    assert learnt(tmp_path, docstring, calls).beyond(read(asked)) == why


@pytest.mark.parametrize(
    ("docstring", "known", "asked", "why"),
    [
        ("items: each letter once", ["'ab'"], "'aa'", "calls that break: nothing in `items` comes twice"),
        ("`items` are distinct.", ["['x', 'yy']"], "['x', 'x']", "calls that break: nothing in `items` comes twice"),
        ("The unique numbers items.", ["[4, 9]"], "[4, 4]", "calls that break: nothing in `items` comes twice"),
        ("items: each letter once", ["'ab'", "'aa'"], "'bb'", ""),
        ("Counts each letter of items once.", ["'ab'"], "'aa'", ""),
        ("n is shorter than the list.", ["'abc'"] * 4, "'a'", "calls that break: `n` is an index within `items`"),
        ("n: less than the length of items", ["'abc'"] * 4, "'a'", "calls that break: `n` is an index within `items`"),
        ("n is shorter than the list.", ["'abc'"] * 4 + ["'a'"], "'b'", ""),
        ("Of more than items, n.", ["'abc'"] * 4, "'abd'", ""),
    ],
)
def test_what_is_said_of_items_and_sizes(
    docstring: str, known: list[str], asked: str, why: str, tmp_path: Path
) -> None:
    calls = [f"f({1 + at % 2}, {items})" for at, items in enumerate(known)]
    assert learnt(tmp_path, docstring, calls).beyond(read(f"f(2, {asked})")) == why


def test_calls_from_hints_take_no_bound_back(tmp_path: Path) -> None:
    calls = [f"f({number})" for number in (-5, 0, 3)]
    assert (
        learnt(tmp_path, "n must be positive", calls, vouched=False).beyond(read("f(-1)"))
        == "calls that break: the docstring says n > 0"
    )
    assert learnt(tmp_path, "n must be positive", calls).beyond(read("f(-1)")) == ""
