"""What differs is found where it is asked for alone, and is what a message shows."""

from __future__ import annotations

import pytest

from tests.codeopt.workloads.conftest import Compare

pytestmark = pytest.mark.full

CALLS = "CALLS = [(([n * 7 % 5, n, 1],), {}) for n in range(20)]\n"
BAG = """\
import os

class Bag:
    def __init__(self, items):
        self._items = sorted(items)

    def total(self):
        return sum(self._items)

def f(items):
    return Bag(items)
"""


@pytest.mark.parametrize(
    "first",
    ["", "while True: pass", "os._exit(0)", "self._items = os.urandom(9)"],
    ids=["answers", "hangs", "ends the process", "another answer each time"],
)
def test_objects_that_keep_something_else_have_to_answer_their_callers(compare: Compare, first: str) -> None:
    new = BAG.replace("        return sum", f"        {first}\n        return sum").replace("_items", "_sorted")
    found = compare(BAG, new, CALLS, max_pairs=2)
    assert (found["verdict"] == "wrong") is bool(first), found


LONG = """\
def f(items):
    found = [("result", item) for item in items * 40]
    items.append(len(items))
    return found
"""


@pytest.mark.parametrize(
    ("new", "shows_results"),
    [
        (LONG.replace("append(len(items))", "append(-1)"), False),
        (LONG.replace("    items.append(len(items))\n", ""), True),
    ],
    ids=["in both answers", "in one answer"],
)
def test_the_field_that_differs_is_shown_before_all_else(compare: Compare, new: str, shows_results: bool) -> None:
    """Its other fields are the same, and are left out or cut."""
    found = compare(LONG, new, CALLS)
    assert found["verdict"] == "wrong"
    assert "expected arguments become (" in found["reason"]
    assert ("'result'" in found["reason"]) is shows_results
    assert len(found["reason"]) < 600
