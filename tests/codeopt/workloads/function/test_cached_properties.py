"""What an object keeps of its own properties is no difference that its readers see."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import codeopt

pytestmark = pytest.mark.full

MODULE = """\
from functools import cached_property

class Basket:
    def __init__(self, prices: list[int]) -> None:
        self.prices = prices

    @cached_property
    def total(self) -> int:
        return sum(self.prices)

def shares(basket: Basket) -> list[float]:
    return [price / max(1, sum(basket.prices)) for price in basket.prices]
"""
RIGHT = MODULE.replace("sum(basket.prices)", "basket.total")
WRONG = MODULE.replace("    return [price / max", "    basket.most = 3\n    return [price / max")
STALE = RIGHT.replace(
    "    return [price / max", "    basket.total\n    basket.prices.append(1)\n    return [price / max"
)
CALLS = """\
from old import Basket
CALLS = [((Basket([(i * 37 + n) % 11 for i in range(n)]),), {}) for n in range(14)]
BIG = [((Basket([*range(900)]),), {})]
"""


@pytest.mark.parametrize(
    ("new", "flags", "rejected"),
    [(RIGHT, (), False), (RIGHT, ("--strict",), True), (WRONG, (), True), (STALE, (), True)],
    ids=["cached", "strict", "a public attribute", "what it is cached from is changed"],
)
def test_a_property_that_is_cached_is_a_caveat(
    new: str, flags: tuple[str, ...], rejected: bool, tmp_path: Path
) -> None:
    for name, text in (("old.py", MODULE), ("new.py", new), ("calls.py", CALLS)):
        (tmp_path / name).write_text(text)
    usual = ("--calls", "calls.py", "--no-tests", "--sandbox", "bubblewrap", "--max-pairs", "8", "--max-examples", "50")
    done = codeopt("compare", "old.py::shares", "new.py::shares", *usual, *flags, "--json", cwd=tmp_path)
    found = done.json
    assert (done.status, found["verdict"]) == ((1, "wrong") if rejected else (0, "faster")), done.err
    if not rejected:
        assert [(each["kind"], "_cached_total=1" in each["got"]) for each in found["caveats"]] == [("private", True)]


METHOD = MODULE.replace("def shares(basket: Basket)", "    def shares(self)").replace(
    "    return [price", "        return [price"
)
METHOD = METHOD.replace("basket.prices", "self.prices")


@pytest.mark.parametrize("more", ["", "        seen = []\n        seen.clear()\n"], ids=["equal", "two more lines"])
def test_lines_that_move_in_a_method_are_no_difference(more: str, tmp_path: Path) -> None:
    """Steps of two threads were counted with the making of arguments, in which `__init__` takes part."""
    (tmp_path / "old.py").write_text(METHOD)
    (tmp_path / "new.py").write_text(METHOD.replace("        return [price", f"{more}        return [price"))
    (tmp_path / "calls.py").write_text(CALLS)
    usual = ("--calls", "calls.py", "--no-tests", "--sandbox", "bubblewrap", "--max-pairs", "6", "--max-examples", "50")
    found = codeopt("compare", "old.py::Basket.shares", "new.py::Basket.shares", *usual, "--json", cwd=tmp_path).json
    assert found["verdict"] != "wrong", found["reason"]
    assert (found["inconclusive_about"] != "result", found["caveats"]) == (True, []), found["reason"]
