"""Asynchronous functions, methods and generators as targets of record, improve, check and compare."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.codeopt.command import FIRST_LINE, codeopt, reply
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

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
COMMON = """\
class Store:
    async def common(self, wanted: list[str]) -> int:
        known = set(wanted)
        await asyncio.sleep(0)
        return sum(name in known for name in self.names{})
"""
BACKEND = ("--sandbox", "bubblewrap")
CALLS = "CALLS = [(([(i * 37 + n) % 11 for i in range(n)],), {}) for n in range(14)]\nBIG = [(([*range(700)],), {})]\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in {"mod.py": MODULE, "use.py": USE, "test_mod.py": TESTS, "calls.py": CALLS}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_a_method_is_recorded_and_improved(project: Path) -> None:
    """27 calls of one object, two of which run at once; the first draft forgets a name."""
    require_sandbox()
    done = codeopt("record", "mod.py::Store.common", "--", "python", "use.py", cwd=project)
    assert "27 new calls of Store.common" in done.err, done.err
    drafts = [reply(COMMON.format("[1:]"), "a set"), reply(COMMON.format(""), "a set of all")]
    told = ["VERDICT: IMPROVE", drafts[0], "VERDICT: IMPROVE", drafts[1], "VERDICT: DONE"]
    with WireServer(told) as server:
        flags = ("--base-url", server.base_url, "--model", server.model, "--write", "--json", "--no-profile")
        done = codeopt("improve", "mod.py::Store.common", *BACKEND, *flags, "--max-pairs", "20", cwd=project)
    found = done.json
    assert [each["verdict"] for each in found["rounds"]] == ["wrong", "faster"], found
    assert found["evidence"]["sources"]["recorded"] == 27
    assert (project / "mod.py").read_text().count("await asyncio.sleep(0)") == 3
    assert "known = set(wanted)" in (project / "mod.py").read_text()


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


@pytest.mark.parametrize("kind", ["def", "async def"])
def test_generators_are_read_while_they_are_timed(kind: str, project: Path) -> None:
    """The gain is in what yields."""
    slow = f"{kind} f(n: int):\n    for each in range(n):\n        yield sum(range(each))\n"
    quick = f"{kind} f(n: int):\n    total = 0\n    for each in range(n):\n        yield total\n        total += each\n"
    (project / "old.py").write_text(slow)
    (project / "new.py").write_text(quick)
    (project / "calls.py").write_text("CALLS = [((n,), {}) for n in range(1, 15)]\nBIG = [((900,), {})]\n")
    flags = ("--calls", "calls.py", "--no-tests", "--max-pairs", "8", "--max-examples", "50", "--json", "-q")
    found = codeopt("compare", "old.py::f", "new.py::f", *BACKEND, *flags, cwd=project).json
    assert (found["verdict"], found["ratio"] > 3) == ("faster", True), found
