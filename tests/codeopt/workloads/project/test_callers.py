"""A public function whose calls are too large to be written down is judged by the calls of a function that calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeopt.workloads.project.callers import CALLERS, PublicCallers
from codeopt.workloads.project.edits import CodeEdit
from tests.codeopt.command import codeopt
from tests.conftest import require_sandbox
from tests.support.files import write_files

pytestmark = pytest.mark.full

TABLES = """\
def totals(rows):
    found = {}
    for name, amount in rows:
        if name not in list(found):
            found[name] = 0
        found[name] = found[name] + amount
    return found


def _made(n, names):
    return [(f"customer {k % names}", k % 11) for k in range(n)]


def report(n, names):
    rows = _made(n, names)
    return sorted(totals(rows).items())
"""
BENCH = """\
from tables import report

print(sum(len(report(60_000 + k, 60 + k)) for k in range(3)))
"""
SLOW = "        if name not in list(found):\n            found[name] = 0\n        found[name] = found[name] + amount\n"
RIGHT = "        found[name] = found.get(name, 0) + amount\n"
WRONG = "        found[name] = amount\n"
ALONE = TABLES.replace("def report(n, names):", "def _report(n, names):") + "\n\nreport = _report\n"
"""The only callers are private."""


def versions(root: Path, tables: str, change: str) -> None:
    for side, text in (("old", tables), ("new", tables.replace(SLOW, change))):
        write_files(root / side, {"tables.py": text, "bench.py": BENCH})


@pytest.mark.parametrize(
    ("tables", "change", "status", "verdict", "caller"),
    [
        (TABLES, RIGHT, 0, "faster", "tables.py::report"),
        (TABLES, WRONG, 1, "wrong", "tables.py::report"),  # the command prints how many rows there are
        (ALONE, RIGHT, 0, "faster", ""),
    ],
)
def test_arguments_too_large_to_be_written_down(
    tmp_path: Path, tables: str, change: str, status: int, verdict: str, caller: str
) -> None:
    require_sandbox()
    versions(tmp_path, tables, change)
    flags = ("--run", "python bench.py", "--sandbox", "bubblewrap", "--max-pairs", "12", "-q", "--json")
    done = codeopt("compare", "old", "new", *flags, cwd=tmp_path)
    assert (done.status, done.json["verdict"]) == (status, verdict), done.err + done.out
    (function,) = done.json["functions"]
    assert (function["qualname"], function["caller"]) == ("totals", caller)
    if verdict == "wrong":
        assert f"tables.py::totals, called by {caller}: " in done.json["reason"]
    elif caller:
        assert (function["calls"] > 0, function["why_none"]) == (True, "")
    else:
        assert "more than 1 MB of arguments" in function["why_none"]


FILES = {
    "m.py": "def f(x):\n    return x\n\n\ndef near(x):\n    return [f(y) for y in x]\n\n\n"
    "def _inner(x):\n    return near(x)\n\n\nclass C:\n    def __init__(self):\n        self.x = far(3)\n",
    "other.py": "def far(n):\n    return n\n",
}


@pytest.mark.parametrize(
    ("stacks", "callers"),
    [
        ([["/m.py:5", "/other.py:1"]], ["near", "far"]),
        ([["/m.py:9", "/other.py:1", "/bench.py:0"], ["/m.py:5"]], ["near", "far"]),  # by how near they are
        ([["/m.py:1", "/m.py:6"]], ["near"]),  # itself, and what stands within one
        ([["/m.py:14", "/m.py:0", "/gone.py:3"]], []),
        (["torn", {"a": 1}], []),
        ([], []),
    ],
)
def test_the_nearest_public_callers(stacks: list[object], callers: list[str]) -> None:
    lines = [CALLERS + json.dumps(each) for each in stacks] + [CALLERS + "[torn", "f(1)"]
    found = PublicCallers(FILES).of(CodeEdit("m.py", "f"), lines)
    assert [each.qualname for each in found] == callers
