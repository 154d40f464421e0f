"""A cache that an object keeps for itself may hold other things, as long as nothing that it shows depends on them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks.errors.honest.differences import DRAFTS
from tests.support.judges import ENOUGH_EXAMPLES, compared, write_project

pytestmark = pytest.mark.full

if TYPE_CHECKING:
    from tests.codeopt.workloads.conftest import Compare

SLOTS = '    __slots__ = ("_cache", "_text")\n'
CLASS = """\
class Place:
{slots}
    def __init__(self, text):
        self._text, self._cache = text, {{}}

    @property
    def host(self):
        if "host" not in self._cache:
            self._cache["host"] = self._text.partition("/")[0]
        return self._cache["host"]

    @property
    def path(self):
        if "path" not in self._cache:
            self._cache["path"] = self._text.partition("/")[2]
        return self._cache["path"]

def f(text, name):
    made = Place(text + "/" + name)
{body}
    return {result}
"""
SLOW = "    assert sum(len(made.host) for _ in range(300)) >= 0"
OTHER = "    made.path"
"""Keeps another property."""
POISONED = '    made._cache["path"] = name if len(name) < 9 else name[1:]'
"""Keeps a value that the property never has, of long names alone."""
CALLS = "CALLS = [((f'h{i}.org/a' * (i % 5 + 1), f'n{i}' * (i % 7)), {}) for i in range(70)]\n"
SHAPES = {
    "a dict": ("", "made"),
    "slots, in a list": (SLOTS, "[made]"),
}


def module(shape: str, body: str) -> str:
    slots, result = SHAPES[shape]
    return CLASS.format(slots=slots, body=body, result=result)


@pytest.mark.parametrize("shape", ["a dict", "slots, in a list"])
def test_other_things_in_it_are_a_caveat(compare: Compare, shape: str) -> None:
    found = compare(module(shape, SLOW), module(shape, OTHER), CALLS, sandbox="bubblewrap")
    assert found["verdict"] in ("faster", "same", "inconclusive"), found
    assert [each["cause"] for each in found["caveats"]] == ["attributes that only the object itself looks at"]


@pytest.mark.parametrize("shape", ["a dict", "slots, in a list"])
def test_things_that_it_then_shows_are_a_mistake(compare: Compare, shape: str) -> None:
    found = compare(module(shape, SLOW), module(shape, POISONED), CALLS, sandbox="bubblewrap")
    assert found["verdict"] == "wrong", found


TOTAL = """\
class Total:
    def __init__(self, start):
        self._sum = start

    @property
    def sum(self):
        return self._sum
"""
"""A class whose property shows a private attribute."""
ADD = """\
def f(total, numbers):
    for number in numbers:
        total._sum += number
"""
ADDED = "from total import Total\nCALLS = [((Total(i), [*range(i % 9 + 1)]), {}) for i in range(100)]\n"


@pytest.mark.parametrize("shape", ["a dict", "slots, in a list"])
def test_an_object_that_only_one_run_asks_is_no_difference(compare: Compare, shape: str) -> None:
    found = compare(module(shape, SLOW), module(shape, f"{SLOW}\n    pass"), CALLS, sandbox="bubblewrap")
    assert not found["caveats"], found


@pytest.mark.parametrize(("new", "rejected"), [("+= number", False), ("+= number + (len(numbers) > 8)", True)])
def test_a_private_change_of_an_argument_counts_however_many_calls_there_are(
    compare: Compare, tmp_path: Path, new: str, rejected: bool
) -> None:
    (tmp_path / "total.py").write_text(TOTAL)
    found = compare(ADD, ADD.replace("+= number", new), ADDED, sandbox="bubblewrap")
    assert (found["verdict"] == "wrong") is rejected, found
    assert not found["caveats"], found


SHELF = next(each for each in DRAFTS if each.name == "Shelf.find")
"""An index beside a list, which the constructor of the draft makes."""
REMEMBERS = SHELF.old.replace(
    "        for known, value in self.things:\n            if known == name:\n                return value\n"
    "        return None\n",
    "        if not hasattr(self, '_places'):\n            self._places = dict(reversed(self.things))\n"
    "        return self._places.get(name)\n",
)
"""An index that the first call makes: what callers change in the object afterwards is not seen."""


@pytest.mark.parametrize(("new", "rejected"), [(SHELF.new, False), (REMEMBERS, True)], ids=["constructor", "call"])
def test_an_index_beside_a_list_is_a_caveat_where_the_constructor_makes_it(
    tmp_path: Path, new: str, rejected: bool
) -> None:
    home = write_project(tmp_path / "p", "subject.py", SHELF.old, SHELF.tests)
    (home / "new.py").write_text(new)
    versions = f"{home}/subject.py::Shelf.find", f"{home}/new.py::Shelf.find"
    found = compared(*versions, 8, max_examples=ENOUGH_EXAMPLES, sandbox="bubblewrap")
    assert (found["verdict"] == "wrong") is rejected, found
    told = "its objects keep more than a caller may change in them"
    assert rejected or told in [each["cause"] for each in found["caveats"]]


REACH = next(each for each in DRAFTS if each.name == "reach")
"""An index that a call puts into its argument, and makes anew when the argument has changed."""


@pytest.mark.parametrize(
    ("new", "rejected"),
    [(REACH.new, False), (REACH.new.replace(" or table[0] != graph.edges", ""), True)],
    ids=["made anew", "stale"],
)
def test_an_index_that_a_call_puts_into_its_argument_may_not_be_stale(tmp_path: Path, new: str, rejected: bool) -> None:
    home = write_project(tmp_path / "p", "subject.py", REACH.old, REACH.tests)
    (home / "new.py").write_text(new)
    found = compared(f"{home}/subject.py::reach", f"{home}/new.py::reach", 8, sandbox="bubblewrap")
    assert (found["verdict"] == "wrong") is rejected, found
