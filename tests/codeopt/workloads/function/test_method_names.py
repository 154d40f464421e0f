"""Calls of a method are shown by its name, in the verdict, the JSON and what a checker is asked; those of a function by
`f`."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.workloads.function.calls.call_names import CallNames
from codeopt_sandbox.guest.calls.scenarios import AGAIN, SCENARIO
from tests.codeopt.command import QUICK, codeopt
from tests.conftest import require_sandbox

pytestmark = pytest.mark.full

OLD = """\
class Stock:
    @staticmethod
    def common(one: list[int], other: list[int]) -> list[int]:
        return [item for item in one if item in other]


def common(one: list[int], other: list[int]) -> list[int]:
    return [item for item in one if item in other]
"""
WRONG = OLD.replace("[item for item in one if item in other]", "sorted(set(one) & set(other))")
TESTS = """\
import pytest
from stock import Stock, common


@pytest.mark.parametrize("count", range(12))
def test_common(count):
    one, other = [*range(count, 0, -1)], [*range(0, count, 2)]
    assert common(one, other) == Stock.common(one, other) == [item for item in one if item in other]
"""


@pytest.mark.parametrize(("name", "shown"), [("Stock.common", "Stock.common(["), ("common", "f([")])
def test_a_counterexample_names_the_method(name: str, shown: str, tmp_path: Path) -> None:
    require_sandbox()
    (tmp_path / "stock.py").write_text(OLD)
    (tmp_path / "test_stock.py").write_text(TESTS)
    (tmp_path / "new.py").write_text(WRONG)
    done = codeopt("compare", f"stock.py::{name}", f"new.py::{name}", "--json", *QUICK[:2], cwd=tmp_path)
    assert (done.status, done.json["verdict"]) == (1, "wrong"), done.err
    assert done.json["reason"].startswith(shown)
    assert "f([" not in done.json["reason"].replace(shown, "")


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        ("f(1)", "Box.add(1)"),
        ("f(unpickle('gA'), 2)", "Box.add(Box(), 2)"),
        (f"{SCENARIO}({AGAIN}, f(1))", None),
    ],
)
def test_a_shown_call_leads_back_to_the_call(call: str, shown: str | None) -> None:
    """A scenario says `f` in all of its statements."""
    names = CallNames({"unpickle('gA')": "Box()"}, "Box.add")
    if shown is None:
        assert "Box.add" not in names.shown(call)
        return
    assert names.shown(call) == shown
    assert names.written(shown) == call
