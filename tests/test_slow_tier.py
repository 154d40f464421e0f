"""A test is left to `.ci/thorough` only where a quicker one, which every change has to pass, holds the same promise."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
MOST = 60
"""How many places may be marked: the second tier is for a few long runs, not for whatever takes a while."""


@dataclass(frozen=True)
class Mark:
    """One `pytest.mark.slow(also=..., reason=...)`."""

    place: str
    words: dict[str, str]
    """What it is given by name, where that is written out."""


@cache
def marks() -> tuple[Mark, ...]:
    return tuple(mark for path in sorted(TESTS.rglob("test_*.py")) for mark in marks_of(path))


def marks_of(path: Path) -> Iterator[Mark]:
    """Those of a file; one that is not called has no words."""
    text = path.read_text("utf-8")
    if "mark.slow" not in text:
        return
    tree = ast.parse(text)
    called = {node.func: node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) == "pytest.mark.slow":
            keywords = called[node].keywords if node in called else []
            words = {str(each.arg): word for each in keywords if isinstance(word := literal(each.value), str)}
            yield Mark(f"{path.relative_to(TESTS.parent)}:{node.lineno}", words)


def literal(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


@pytest.mark.parametrize("mark", marks(), ids=lambda mark: mark.place)
def test_each_names_its_sibling_and_a_reason(mark: Mark) -> None:
    assert set(mark.words) == {"also", "reason"}, f"{mark.place}: write both out, as texts"
    assert len(mark.words["reason"].split()) >= 4


def test_they_are_few() -> None:
    assert 0 < len(marks()) <= MOST


def test_every_sibling_is_there_and_in_the_gate(request: pytest.FixtureRequest) -> None:
    """In this very run, where that is one of all tests; as pytest finds the others with the project's own settings."""
    siblings = missing({mark.words["also"] for mark in marks()}, [item.nodeid for item in request.session.items])
    if siblings:
        done = collected(*siblings)
        assert done.returncode == 0, done.stdout + done.stderr
        assert missing(siblings, done.stdout.splitlines()) == [], "slow themselves"


def missing(siblings: Iterable[str], found: Sequence[str]) -> list[str]:
    return sorted(name for name in siblings if not any(line == name or line.startswith(f"{name}[") for line in found))


@pytest.mark.parametrize("name", ["test_ray.py::test_of_no_such_name", "test_ray.py::test_every_problem_ends_once"])
def test_a_sibling_that_is_not_there_would_be_found(name: str) -> None:
    done = collected(f"tests/codeopt/batch/{name}")
    assert (done.returncode, "not found" in done.stderr) == (4, True), done.stdout + done.stderr


def collected(*names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *names]
    return subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, timeout=120, check=False)


NOTHING_MAY_COME = "# nothing may come meanwhile"
"""Comment of a sleep that no look can end."""


def sleeps(source: str) -> list[int]:
    """Lines with a `time.sleep` of a test's own that is no part of a loop which looks again."""
    tree, lines = ast.parse(source), source.splitlines()
    loops = [loop for loop in ast.walk(tree) if isinstance(loop, ast.While)]
    looking = {id(node) for loop in loops for node in ast.walk(loop)}
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and id(node) not in looking]
    found = [node.lineno for node in calls if ast.unparse(node.func) == "time.sleep"]
    return [number for number in found if not lines[number - 1].endswith(NOTHING_MAY_COME)]


@pytest.mark.parametrize("path", [*TESTS.rglob("test_*.py"), *(TESTS / "support").glob("*.py")], ids=lambda p: p.stem)
def test_no_test_sleeps_for_what_it_can_see_come(path: Path) -> None:
    assert sleeps(path.read_text("utf-8")) == []


def test_a_sleep_would_be_found() -> None:
    assert sleeps("import time\ntime.sleep(1)\nwhile a():\n    time.sleep(1)\n") == [2]
    assert sleeps(f"import time\ntime.sleep(1)  {NOTHING_MAY_COME}\n") == []
