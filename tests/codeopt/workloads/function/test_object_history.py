"""Objects that were filled by their methods are filled by the draft's own, which may keep something beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.judges import compared_in_projects

pytestmark = pytest.mark.full

SHELF = """\
class Shelf:
    def __init__(self, size=10):
        self.size = size
        self.things = []

    def add(self, name, value):
        self.things.append((name, value))

    def find(self, name):
        for known, value in self.things:
            if known == name:
                return value
        return None
"""
INDEX = """\
class Shelf:
    def __init__(self, size=10):
        self.size = size
        self.things = {}

    def add(self, name, value):
        self.things.setdefault(name, value)

    def find(self, name):
        return self.things.get(name)
"""
LAST_COUNTS = INDEX.replace("self.things.setdefault(name, value)", "self.things[name] = value")
FILLED = """\
import shelves

def test_find():
    shelf = shelves.Shelf()
    for at in range(150):
        shelf.add(f"n{at % 120}", at)
    for at in range(0, 130, 9):
        assert shelf.find(f"n{at}") == (at if at < 120 else None)
"""


ANEW = "self.things = dict([(k, v) for k, v in {name: value, **self.things}.items()])"
MOVED = INDEX.replace("self.things.setdefault(name, value)", ANEW)
"""Each thing that is added makes all of it anew."""


@pytest.mark.parametrize(
    ("draft", "verdict", "reason"),
    [
        (INDEX, "faster", ""),
        (LAST_COUNTS, "wrong", "expected returns"),
        (MOVED, "same", "its calls take "),
    ],
)
def test_objects_are_filled_by_the_draft(tmp_path: Path, draft: str, verdict: str, reason: str) -> None:
    found = compared_in_projects(tmp_path, (SHELF, draft), FILLED, "shelves.py::Shelf.find", 20)
    assert found["verdict"] == verdict, found
    assert reason in found["reason"]
    assert not any("more to make" in each["got"] for each in found["caveats"]), found["caveats"]


LOG = "LOG = []\n\n"


@pytest.mark.parametrize(
    ("old", "new", "filling"),
    [
        (SHELF, INDEX, 'shelf.things.append((f"n{at % 120}", at))'),  # from outside
        (
            LOG + SHELF.replace("self.things.append", "LOG.append(1)\n        self.things.append"),
            LOG + INDEX,
            'shelf.add(f"n{at % 120}", at)',
        ),
    ],
    ids=["changed from outside", "leaves a trace in its module"],
)
def test_objects_without_a_history_are_taken_as_they_were(tmp_path: Path, old: str, new: str, filling: str) -> None:
    """A draft has to live with the parts that the original has."""
    tests = FILLED.replace('shelf.add(f"n{at % 120}", at)', filling)
    found = compared_in_projects(tmp_path, (old, new), tests, "shelves.py::Shelf.find", 8)
    assert found["verdict"] == "wrong", found
    assert "AttributeError" in found["reason"]
