"""Calls that ask one object again and again: an index that it keeps is a gain, answers that it keeps are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.judges import compared, compared_in_projects

pytestmark = pytest.mark.full

SHELF = """\
class Shelf:
    def __init__(self, things):
        self.things = list(things)

    def find(self, name):
        for known, value in self.things:
            if known == name:
                return value
        return None
"""
INDEX = """\
class Shelf:
    def __init__(self, things):
        self.things = list(things)
        self._index = None

    def find(self, name):
        if self._index is None:
            self._index = {}
            for known, value in self.things:
                self._index.setdefault(known, value)
        return self._index.get(name)
"""
ANSWERS = """\
class Shelf:
    def __init__(self, things):
        self.things = list(things)
        self._answers = {}

    def find(self, name):
        if name not in self._answers:
            self._answers[name] = next((value for known, value in self.things if known == name), None)
        return self._answers[name]
"""
TESTS = """\
import shelves

def test_find():
    shelf = shelves.Shelf([(f"n{at}", at) for at in range(150)])
    for at in range(0, 170, 9):
        assert shelf.find(f"n{at}") == (at if at < 150 else None)
"""


@pytest.mark.parametrize(("draft", "faster"), [(INDEX, True), (ANSWERS, False)])
def test_what_an_object_keeps(tmp_path: Path, draft: str, faster: bool) -> None:
    found = compared_in_projects(tmp_path, (SHELF, draft), TESTS, "shelves.py::Shelf.find", 8)
    assert "asking the same objects" in found["timed"]
    assert (found["verdict"] == "faster") is faster, found


SORTED = """\
from bisect import bisect_left

class Shelf:
    def __init__(self, things):
        self.things = tuple(things)
        self._sorted = sorted(things)

    def rank(self, price):
        return bisect_left(self._sorted, price)
"""
COUNTED = """\
class Shelf:
    def __init__(self, things):
        self.things = tuple(things)

    def rank(self, price):
        return sum(other < price for other in self.things)
"""
KEPT = COUNTED.replace("things)\n\n", "things)\n        self._kept = {}\n\n").replace(
    "return sum(", "return self._kept.setdefault(price, 0) or sum("
)
SHARED = """\
from shelves import Shelf
CALLS = [((Shelf(range(0, 100, n)), n), {}) for n in (1, 2, 3, 5, 7, 9, 30)]
BIG = [((shelf, price), {}) for shelf in [Shelf(range(5_000))] for price in range(0, 1000, 10)]
"""


@pytest.mark.parametrize(("draft", "faster"), [(SORTED, True), (KEPT, False)])
def test_calls_of_a_file_share_the_object_that_they_name(tmp_path: Path, draft: str, faster: bool) -> None:
    for folder, text in (("old", COUNTED), ("new", draft)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "shelves.py").write_text(text)
    (tmp_path / "calls.py").write_text(SHARED)
    sides = [f"{tmp_path / folder / 'shelves.py'}::Shelf.rank" for folder in ("old", "new")]
    found = compared(*sides, 8, calls=str(tmp_path / "calls.py"))
    assert "asking the same objects" in found["timed"]
    assert (found["verdict"] == "faster") is faster, found
