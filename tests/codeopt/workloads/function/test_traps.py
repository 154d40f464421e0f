"""Ways of looking faster, or right, without being it; each against a small original, with a few calls shown.

CODEOPT_HOSTILE names a folder of traps that is no part of this repository, as in ../program/test_traps.py.
"""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.report.verdict import why
from codeopt_sandbox.compare import Decision
from tests.codeopt.workloads.conftest import Compare, Judges
from tests.codeopt.workloads.program.test_traps import SHARED
from tests.support.judges import compared

pytestmark = pytest.mark.full

GIVEN = sorted(path for path in SHARED.glob("*") if "function" in json.loads((path / "meta.json").read_text()))

SUMS = """\
def f(n):
    result = []
    for i in range(1, n + 1):
        total = 0
        for d in range(1, i + 1):
            if i % d == 0:
                total += d
        result.append(total)
    return result
"""
FAST_SUMS = """\
def f(n):
    s = [0] * (n + 1)
    for d in range(1, n + 1):
        for m in range(d, n + 1, d):
            s[m] += d
    return s[1:]
"""
KTH = """\
def f(a, k):
    if not 1 <= k <= len(a):
        raise ValueError("k out of range")
    rest = list(a)
    for _ in range(k - 1):
        rest.remove(min(rest))
    return min(rest)
"""
POINT = """\
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash(self.x)

def f(n):
    n = sum([1 for _ in range(n)])
    return [Point(n, 2)]
"""
FROZEN = """\
import dataclasses

@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int

    def __lt__(self, other):
        return (self.x, self.y) < (other.x, other.y)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

def f(n):
    n = sum([1 for _ in range(n)])
    return [Point(n, 2)]
"""
NUMBERS = "CALLS = [((1,), {}), ((12,), {}), ((60,), {})]\n"
LISTS_OF = "CALLS = [(([1, 2],), {}), (([],), {})]\n"
LISTS = "CALLS = [(([3, 1, 2], 2), {}), (([i * 37 % 101 for i in range(40)], 20), {})]\n"

REJECTED = {
    "a tuple for a list": (SUMS, FAST_SUMS.replace("return s[1:]", "return tuple(s[1:])"), NUMBERS, "returns (1,)"),
    "a generator for a list": (SUMS, "def f(n):\n    yield from [1] * n\n", NUMBERS, "<iterator of 1>"),
    "a list that is filled later": (
        SUMS,
        "class L(list):\n    def __init__(self, n):\n        self.n = n\ndef f(n):\n    return L(n)\n",
        NUMBERS,
        "<.L>",
    ),
    "the same list each time": (
        SUMS,
        "import functools\n" + FAST_SUMS.replace("def f", "@functools.cache\ndef f"),
        NUMBERS,
        "'spoiled'",
    ),
    "sorts the caller's list": (KTH, KTH.replace("rest = list(a)", "a.sort(); rest = list(a)"), LISTS, "become"),
    "ends the process in a call": (
        KTH,
        "import os\n" + KTH.replace("rest =", "os._exit(0); rest ="),
        LISTS,
        "ends the",
    ),
    "equals everything": (
        KTH,
        "class Y(int):\n    __eq__ = lambda s, o: True\n    __hash__ = int.__hash__\ndef f(a, k):\n    return Y(0)\n",
        LISTS,
        "<.Y>",
    ),
    "equal without one part": (
        POINT,
        POINT.replace(" and self.y == other.y", "").replace("n = sum([1 for _ in range(n)])", "n = n + 0"),
        NUMBERS,
        "of its objects show == with another y: False",
    ),
    "less without one part": (
        FROZEN,
        FROZEN.replace("(self.x, self.y) < (other.x, other.y)", "self.x < other.x").replace("sum([1", "len([1"),
        NUMBERS,
        "of its objects show < with another y: ",
    ),
    "adds without one part": (
        FROZEN,
        FROZEN.replace("self.y + other.y", "self.y").replace("sum([1", "len([1"),
        NUMBERS,
        "of its objects show + of a copy: ",
    ),
    "patches what compares": (
        KTH,
        "import builtins\nbuiltins.repr = builtins.all = lambda *a: '1'\nbuiltins.type = lambda x: int\n"
        "def f(a, k):\n    return 0\n",
        LISTS,
        "",
    ),
    "minus zero": (
        "def f(x):\n    return x * 1.0\n",
        "def f(x):\n    return x + 0.0\n",
        "CALLS = [((1.5,), {}), ((2.5,), {})]\n",
        "-0.0",
    ),
    "changes a global": (
        "N = []\ndef f(a):\n    return len(a)\n",
        "N = []\ndef f(a):\n    N.append(1)\n    return len(a)\n",
        LISTS_OF,
        "global N",
    ),
}


@pytest.mark.parametrize("name", REJECTED)
def test_rejected_with_a_counterexample(judges: Judges, name: str) -> None:
    old, new, calls, words = REJECTED[name]
    found = judges(old, calls, timed=False).check(Revision.of(new), "a person's")
    assert not found.correct
    assert words in why(found), why(found)


SLOW = """\
def f(n):
    total = n % 3
    for i in range(min(n, 600)):
        for j in range(i):
            total += i * j % 7
    return total
"""
CLOCKS = """\
import time, resource
_real = {name: getattr(time, name) for name in ("time", "perf_counter", "monotonic", "process_time", "clock_gettime")}
for _name, _f in _real.items():
    setattr(time, _name, lambda *a, f=_f: f(*a) / 100)
resource.getrusage = lambda *a: None
"""
SLOWLY = SLOW.replace("def f(", "def slowly(")
SHARED_MEMORY = """
import mmap, struct
memory = mmap.mmap(-1, 8 * 600)
def f(n):
    if not 0 <= n < 600:
        return slowly(n)
    found = struct.unpack_from("q", memory, 8 * n)[0] or slowly(n)
    struct.pack_into("q", memory, 8 * n, found)
    return found
"""
NO_FASTER = {
    "answers in memory shared with later passes": SLOWLY + SHARED_MEMORY,
    "answers made at the import": SLOWLY
    + "ANSWERS = {n: slowly(n) for n in range(0, 600, 5)}\n"
    + "def f(n):\n    return ANSWERS[n] if n in ANSWERS else slowly(n)\n",
    "a cache of answers": ("import functools\n" + SLOW.replace("def f", "@functools.cache\ndef f")),
    "other clocks": CLOCKS + SLOW,
    "the collector off": "import gc\ngc.disable()\n" + SLOW,
}
LEFT = {"other clocks": "time.time: another", "the collector off": "gc.isenabled(): False"}
"""What some of them leave of the process, for which they are rejected besides."""


@pytest.mark.parametrize("name", NO_FASTER)
def test_not_called_faster(judges: Judges, name: str) -> None:
    # Long enough that a fast machine too makes a pass of this one call, not of more like it.
    calls = "CALLS = [((n,), {}) for n in (1, 2, 5, 9)]\nBIG = [((580,), {})]\n"
    judge = judges(SLOW, calls)
    found = judge.check(Revision.of(NO_FASTER[name]), "a person's")
    assert found.correct == (name not in LEFT), why(found)
    assert LEFT.get(name, "") in why(found)
    found = judge.time(found)  # nor is it where nobody looks at what it leaves
    assert found.comparison is not None
    decision, alike = found.comparison.decision, found.comparison.ratio < 1.2
    undecided = decision is Decision.INCONCLUSIVE and alike  # eight pairs are few where the machine is noisy
    assert undecided or decision in (Decision.SAME, Decision.SLOWER), found.comparison


def test_work_done_before_the_clock_starts(compare: Compare) -> None:
    """A hook in the making of arguments computes the answer; the call only hands it out."""
    old = """\
class P:
    def __init__(self, n):
        self.n = n
def f(p):
    t = 0
    for i in range(p.n):
        t += i * i % 7
    return t
"""
    new = old.replace("self.n = n", "self.n = n; _A[n] = _slow(n)").replace(
        "def f(p):", "_A = {}\ndef f(p):\n    return _A[p.n]\ndef _slow(n):"
    ).replace("range(p.n)", "range(n)")  # fmt: skip
    calls = """\
def call(n):
    import sys
    return ((sys.modules.get("new", sys.modules.get("old")).P(n),), {})
CALLS = [call(n) for n in range(14)]
BIG = [call(400_000 + i) for i in range(2)]
"""
    found = compare(old, new, calls, max_pairs=7)
    assert found["verdict"] in ("same", "inconclusive", "wrong", "slower"), found


BIG_NUMBERS = "CALLS = [((1,), {}), ((12,), {}), ((60,), {})]\nBIG = [((200,), {}), ((201,), {})]\n"


def test_a_real_improvement_is_faster(compare: Compare) -> None:
    found = compare(SUMS, FAST_SUMS, BIG_NUMBERS, max_pairs=20, max_examples=None)
    assert found["verdict"] == "faster", found
    assert found["ratio"] > 1
    assert found["evidence"]["line_coverage"] == 1.0


@pytest.mark.skipif(not GIVEN, reason="no folder of traps: set CODEOPT_HOSTILE to what holds it")
@pytest.mark.parametrize("folder", GIVEN, ids=lambda path: path.name)
def test_given_trap(folder: Path, tmp_path: Path) -> None:
    """It is shown the calls in cases/ and nothing else."""
    meta = json.loads((folder / "meta.json").read_text())
    shown = [ast.literal_eval(path.read_text()) for path in sorted((folder / "cases").glob("input*"))]
    calls = tmp_path / "calls.py"
    calls.write_text(f"CALLS = {[(tuple(arguments), {}) for arguments in shown]!r}\n")
    targets = [f"{folder / name}::{meta['function']}" for name in ("original.py", "cheat.py")]
    found = compared(*targets, max_pairs=7, calls=calls)
    words = {"wrong": "rejected", **dict.fromkeys(("same", "inconclusive", "slower"), "not faster")}
    verdict = words.get(found["verdict"], found["verdict"])
    assert verdict in {meta["expect"], *meta.get("also_ok", [])}, found
    assert found["reason"] or verdict == "not faster"
