"""Asynchronous functions, methods and generators as targets of record, improve, check and compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import FIRST_LINE, codeopt

pytestmark = pytest.mark.full

MODULE = '''\
"""A module."""
import asyncio


class Store:
    """Names."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    async def common(self, wanted: list[str]) -> int:
        """How many names are wanted."""
        found = 0
        for name in self.names:
            await asyncio.sleep(0)
            found += name in wanted
        return found


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
USE = """\
import asyncio
from mod import Store

async def main():
    shop = Store([str(number) for number in range(40)])
    for number in range(14):
        await asyncio.gather(*(shop.common([str(k * 2) for k in range(number * size)]) for size in (1, 20)))

asyncio.run(main())
"""
TESTS = """\
import asyncio
from mod import distinct

def test_distinct():
    for n in range(14):
        assert asyncio.run(distinct([*range(n), 3, 3])) == len({*range(n), 3})

def test_many():
    assert asyncio.run(distinct([n * 7 % 1009 for n in range(1500)])) == 1009
"""
BACKEND = ("--sandbox", "bubblewrap")
CALLS = "CALLS = [(([(i * 37 + n) % 11 for i in range(n)],), {}) for n in range(14)]\nBIG = [(([*range(700)],), {})]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"mod.py": MODULE, "use.py": USE, "test_mod.py": TESTS, "calls.py": CALLS}.items():
        (tmp_path / name).write_text(text)
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
