"""The contract of known calls in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.contract.function import contract_of
from codeopt.workloads.source.functions import read_function
from tests.codeopt.workloads.conftest import Compare

CASES = [
    ("n", ["f(1)", "f(2)", "f(30)"], "n >= 1"),
    ("n", ["f(0)", "f(2)", "f(30)"], "n >= 0"),
    ("n", ["f(1)", "f(2)", f"f({10**400})", f"f({10**4100})"], "n >= 1"),
    ("xs", [f"f([{', '.join(map(str, range(1, 300)))}, {10**400}])"] * 3,
     "xs: non-empty list of int >= 1; `xs` is sorted"),
    ("n", ["f(-1)", "f(-2)", "f(-30)"], "n < 0"),
    ("n", ["f(-1)", "f(2)", "f(3)"], "n: int"),
    ("n", ["f(0.5)", "f(2.0)", "f(3)"], "n > 0"),
    ("n", ["f(1)", "f(2)"], "n: int"),
    ("xs", ["f([1])", "f([0, 2])", "f([3])"], "xs: non-empty list of int >= 0"),
    ("xs", ["f([])", "f([(1, 'a')])", "f([(2, 'b'), (3, 'c')])"], "xs: list of tuple (int >= 1, non-empty str of "
     "small letters)"),
    ("d", ["f({'a': 1})", "f({'a': 2, 'b': 1})", "f({'a': 3})"], "d: non-empty dict with 'a'"),
    ("s, n", ["f('ab', None)", "f('c1', None)", "f('d', 4)"],
     "s: non-empty str of digits, small letters; n: int or None"),
    ("x", ["f(load('bag', 'Bag')([1]))"], "x: Bag"),
    ("x", [], ""),
]  # fmt: skip


@pytest.mark.parametrize(("parameters", "calls", "words"), CASES, ids=[str(at) for at in range(len(CASES))])
def test_a_contract_is_said_in_one_line(parameters: str, calls: list[str], words: str, tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(f"def f({parameters}):\n    return 1\n")
    assert contract_of(read_function(tmp_path / "m.py", "f"), calls).words == words


def test_relations_follow_the_parameters(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f(items, at):\n    return items[at]\n")
    contract = contract_of(read_function(tmp_path / "m.py", "f"), ["f([1], 0)", "f([2, 3], 1)", "f([4, 5, 6], 1)"])
    assert contract.words == "items: non-empty list of int >= 1; at >= 0; `at` is an index within `items`"


@pytest.mark.full
def test_a_comparison_says_the_contract_and_keeps_a_difference_beyond_it_as_a_caveat(compare: Compare) -> None:
    old = "def f(n):\n    total = 0\n    for k in range(n + 1):\n        total += k\n    return total\n"
    new = "def f(n):\n    return n * (n + 1) // 2\n"
    found = compare(old, new, "CALLS = [((n,), {}) for n in (1, 2, 5, 40, 700, 3000)]\n")
    assert found["verdict"] == "faster", found
    assert found["evidence"]["contract"] == "n >= 1"
    assert any(each["tier"] == "unusual" for each in found["caveats"]), found["caveats"]
