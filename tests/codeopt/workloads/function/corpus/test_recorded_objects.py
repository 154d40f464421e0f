"""Objects that a test made, of classes without type hints: they are varied, made smaller and shown as calls of their
constructors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.core.target import Target
from tests.codeopt.workloads.function import bags
from tests.codeopt.workloads.function.bags import indented
from tests.support.judges import ENOUGH_EXAMPLES, compared, function_judge, write_project

pytestmark = pytest.mark.full

SIGNATURE = "    def dedupe(self):\n"
DEDUPE, FAST = (SIGNATURE + indented(body, 2, "self") for body in (bags.SLOW, bags.FAST))
PLAIN = """\
class Entry:
    def __init__(self, key, weight=1):
        self.key = key
        self.weight = weight


class Bag:
    def __init__(self, entries, version=0):
        self.entries = list(entries)
        self.version = version

"""
FILLED = """\
class Entry:
    def __init__(self, key):
        self.key = key


class Bag:
    def __init__(self, named=None):
        self.entries = []
        self.version = 0
        self.name = named

    def add(self, key):
        self.entries.append(Entry(key))

    def grow(self, by):
        self.version += by

"""
TESTS = """\
import pytest
from bags import Bag, Entry

KEYS = [["a", "b", "a"], ["a", "b"], [], ["x"], ["y", "y"], [str(at) for at in range(30)], ["1", "1"], ["c"], ["d"]]

@pytest.mark.parametrize("keys", KEYS)
def test_dedupe(keys):
    {made}
    assert bag.dedupe() == len(keys) - len(set(keys))
"""
MADE = "bag = Bag([Entry(key, at + 1) for at, key in enumerate(keys)])"
ADDED = "bag = Bag()\n    for key in keys[:3]:\n        bag.add(key)\n    bag.grow(1)\n    keys = keys[:3]"
KINDS = {"fields": (PLAIN, MADE), "methods": (FILLED, ADDED)}
WRONG = {kind: FAST.replace("version += 1", f"version = {end}") for kind, end in (("fields", 1), ("methods", 2))}
"""Wrong for objects of another version than those of the tests."""


def project(folder: Path, kind: str) -> Path:
    head, made = KINDS[kind]
    return write_project(folder / "p", "bags.py", head + DEDUPE, TESTS.format(made=made))


def found(folder: Path, kind: str, body: str) -> dict[str, Any]:
    home = project(folder, kind)
    (home / "new.py").write_text(KINDS[kind][0] + body)
    names = (f"{home}/{file}.py::Bag.dedupe" for file in ("bags", "new"))
    return compared(*names, 8, max_examples=ENOUGH_EXAMPLES * 3)


@pytest.mark.parametrize(("kind", "witness"), [("fields", "Bag([Entry("), ("methods", "used(Bag(")])
def test_a_version_that_is_wrong_for_another_field_is_refused(tmp_path: Path, kind: str, witness: str) -> None:
    verdict = found(tmp_path, kind, WRONG[kind])
    assert verdict["verdict"] == "wrong", verdict
    assert f"Bag.dedupe({witness}" in verdict["reason"]
    assert not any(word in json.dumps(verdict) for word in ("load(", "unpickle("))


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_version_is_not_refused(tmp_path: Path, kind: str) -> None:
    home = project(tmp_path, kind)
    with function_judge(Target(home / "bags.py", "Bag.dedupe"), timed=False, max_examples=ENOUGH_EXAMPLES * 3) as judge:
        checked = judge.check(Revision.of(KINDS[kind][0] + FAST), "a person's")
    assert checked.correct, checked
