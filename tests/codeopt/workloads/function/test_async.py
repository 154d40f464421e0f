"""Asynchronous functions and generators as targets of compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import FIRST_LINE, codeopt

pytestmark = pytest.mark.full

MODULE = '''\
"""A module."""
import asyncio


async def distinct(items: list[int]) -> int:
    """Number of different items."""
    seen = []
    for item in items:
        if item not in seen:
            seen.append(item)
    await asyncio.sleep(0)
    return len(seen)


async def rising(items: list[int]):
    """Items that are larger than all before them."""
    for at, item in enumerate(items):
        await asyncio.sleep(0)
        if item > max(items[:at], default=-1):
            yield item
'''
BACKEND = ("--sandbox", "bubblewrap")
CALLS = "CALLS = [(([(i * 37 + n) % 11 for i in range(n)],), {}) for n in range(14)]\nBIG = [(([*range(700)],), {})]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "mod.py").write_text(MODULE)
    (tmp_path / "calls.py").write_text(CALLS)
    return tmp_path


PARTS = {
    "seen": "    seen = dict.fromkeys(items)\n    items = []\n",
    "shared": "    global seen\n    seen = dict.fromkeys(items)\n    items = []\n",
}


@pytest.mark.parametrize(
    ("name", "old", "new", "verdict"),
    [
        ("distinct", "    seen = []\n", PARTS["seen"], "faster"),
        ("distinct", "    seen = []\n", PARTS["shared"], "wrong"),
        ("distinct", "return len(seen)", "return asyncio.sleep(0, len(seen))", "wrong"),
        ("rising", "max(items[:at], default=-1):", "best:\n            best = item", "faster"),
        ("rising", "max(items[:at], default=-1):", "best:\n            best = item + (at > 2)", "wrong"),
    ],
    ids=["right", "shared by two at once", "a coroutine in place of its result", "generator", "wrong generator"],
)
def test_two_versions_are_compared(name: str, old: str, new: str, verdict: str, project: Path) -> None:
    text = MODULE.replace(old, new).replace("    for at, item", "    best = -1\n    for at, item")
    (project / "new.py").write_text(text)
    flags = ("--calls", "calls.py", "--no-tests", "--max-pairs", "8", "--max-examples", "50")
    done = codeopt("compare", f"mod.py::{name}", f"new.py::{name}", *BACKEND, *flags, cwd=project)
    assert FIRST_LINE[verdict] in done.out.splitlines()[0], done.out + done.err
