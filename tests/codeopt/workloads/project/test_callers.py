"""A public function whose calls are too large to be written down is judged by the calls of a function that calls it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.workloads.project.impact import callers_of
from codeopt.workloads.source.edits import CodeEdit
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
    "def _inner(x):\n    return f(x)\n\n\ndef far(x):\n    return _inner(x)\n",
    "other.py": "from m import f\n\n\ndef there(n):\n    return f(n)\n",
    "bench.py": "from m import f\n\n\ndef main():\n    f(1)\n",
    "test_m.py": "from m import f\n\n\ndef test_f():\n    f(1)\n",
}


def test_the_nearest_public_callers() -> None:
    """Neither the command's program nor a test is one."""
    found = callers_of(CodeEdit("m.py", "f"), Revision(FILES), "bench.py", ["test_m.py"])
    assert [each.qualname for each in found] == ["near", "there", "far"]
