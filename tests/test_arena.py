"""The arenas of `benchmarks.errors.arena`, on a set of their layout."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.errors.arenas import RIGHT, WRONG, is_accepted, is_false, kept_rows, table
from tests.support.files import write_files

pytestmark = pytest.mark.full

ROOT = Path(__file__).parents[1]
SLOW = """\
def add(xs):
    total = 0
    for at in range(len(xs)):
        total = sum(xs[: at + 1])
    return total
"""
EXPERT = "def add(xs):\n    total = 0\n    for x in xs:\n        total += x\n    return total\n"
CALLS = "CALLS = [([*range(n)],) for n in range(1, 13)]\nBIG = [([*range(200)],)]\n"


def arena(data: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """`python -m benchmarks.errors.arena`."""
    command = [sys.executable, "-m", "benchmarks.errors.arena", *more]
    return subprocess.run(command[:4] + [str(data), *command[4:]], cwd=ROOT, capture_output=True, text=True)


def test_an_experts_version_and_its_mutants_are_judged_and_kept(tmp_path: Path) -> None:
    write_files(tmp_path / "000_add", {"slow.py": SLOW, "expert.py": EXPERT, "calls.py": CALLS})
    results = tmp_path / "rows.jsonl"
    done = arena(tmp_path, "enamel", "--results", str(results), "--wrong", "1")
    rows = [json.loads(text) for text in results.read_text().splitlines()]
    assert [row["kind"] for row in rows] == [RIGHT, WRONG], done.stdout + done.stderr
    assert is_accepted(rows[0])
    assert not is_false(rows[1])
    assert done.returncode == 0
    results.write_text(results.read_text() + '{"task": "half a li')
    assert len(kept_rows(results)) == 2
    again = arena(tmp_path, "enamel", "--results", str(results), "--wrong", "1")
    assert again.stdout.splitlines() == table("enamel", rows).splitlines()
    assert again.stderr == f"{results}:3 is no row of a trial, and is left out\n"


def test_without_data_it_says_what_is_missing(tmp_path: Path) -> None:
    done = arena(tmp_path, "enamel")
    assert done.returncode == 77
    assert done.stderr.startswith("not run: ")


@pytest.mark.parametrize("verdict", ["wrong", "not judged", "same", "inconclusive", "slower", "faster"])
def test_only_a_wrong_draft_called_faster_without_a_caveat_is_false(verdict: str) -> None:
    row = {"kind": WRONG, "verdict": verdict, "caveats": []}
    assert is_false(row) == (verdict == "faster")
    assert not is_false({**row, "caveats": [{"input": "f(0)"}]})
    assert not is_false({**row, "kind": RIGHT})
