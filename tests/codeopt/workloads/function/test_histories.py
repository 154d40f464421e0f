"""Objects that were filled by their methods are filled by the draft's own, which may keep something beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.judges import compared_in_projects

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
        (LAST_COUNTS, "rejected", "expected returns"),
        (MOVED, "same", "its calls take less time, but"),
    ],
)
def test_objects_are_filled_by_the_draft(tmp_path: Path, draft: str, verdict: str, reason: str) -> None:
    found = compared_in_projects(tmp_path, (SHELF, draft), FILLED, "shelves.py::Shelf.find", 20)
    assert found["verdict"] == verdict, found
    assert reason in found["reason"]
    assert not any("more to make" in each["got"] for each in found["caveats"]), found["caveats"]


LOGGED = "LOG = []\n\n" + SHELF.replace(
    "        self.things.append", "        LOG.append(name)\n        self.things.append"
)
"""To make an object leaves something in the module."""


def test_objects_that_leave_a_trace_are_made_of_their_parts(tmp_path: Path) -> None:
    draft = LOGGED.replace("for known, value in self.things:", "for known, value in list(self.things):")
    found = compared_in_projects(tmp_path, (LOGGED, draft), FILLED, "shelves.py::Shelf.find", 8)
    assert found["verdict"] in ("same", "slower"), found
    assert not found["evidence"]["left_out"].get("given"), found


def test_what_others_changed_is_kept_as_it_was(tmp_path: Path) -> None:
    """There is no history of that: a draft has to live with the parts that the original has."""
    tests = FILLED.replace('shelf.add(f"n{at % 120}", at)', 'shelf.things.append((f"n{at % 120}", at))')
    found = compared_in_projects(tmp_path, (SHELF, INDEX), tests, "shelves.py::Shelf.find", 8)
    assert found["verdict"] == "rejected", found
    assert "AttributeError" in found["reason"]
