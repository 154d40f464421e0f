"""The arenas of `benchmarks.errors.arena`, on a set of their layout."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.errors.arenas import RIGHT, WRONG, is_accepted, is_false, kept_rows, table
from benchmarks.errors.arenas.mutants import mutants
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
TASK = """\
class Task:
    def solve(self, problem):
        return [x for at, x in enumerate(problem) if x not in problem[:at]]

    def is_solution(self, problem, solution):
        return sorted(solution) == sorted(set(problem))

def solve(problem):
    return _TASK.solve(problem)

_TASK = Task()
"""
PROBLEMS = "CALLS = [([(n * at) % 5 for at in range(n)],) for n in range(1, 14)]\nBIG = [([*range(50)],)]\n"


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


def test_is_solution_decides_which_recorded_drafts_are_right(tmp_path: Path) -> None:
    class_of = "class Solver:\n    def solve(self, problem):\n        return {}\n\n_S = Solver()\n\n"
    solve = "def solve(problem):\n    return _S.solve(problem)\n"
    drafts = {"right": "sorted(set(problem), reverse=True)", "wrong": "problem", "dies": "1 / 0"}
    files = {f"drafts/{name}.py": class_of.format(text) + solve for name, text in drafts.items()}
    write_files(tmp_path / "unique", {"slow.py": TASK, "calls.py": PROBLEMS, **files})
    results = tmp_path / "rows.jsonl"
    done = arena(tmp_path, "algotune", "--results", str(results))
    rows = {row["draft"]: row for row in map(json.loads, results.read_text().splitlines())}
    assert {name: row["kind"] for name, row in rows.items()} == {"right": RIGHT, "wrong": WRONG, "dies": WRONG}
    assert {name: is_accepted(row) for name, row in rows.items()} == {"right": True, "wrong": False, "dies": False}, (
        done.stdout
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_best_program_is_right_and_its_mutants_are_wrong(tmp_path: Path) -> None:
    slow = "print(sum([int(x) for x in input().split() for _ in range(99_999)]) // 99_999)\n"
    cases = {f"cases/input.{n}.txt": f"{n} {n + 1} 4\n" for n in range(6)}
    cases |= {f"cases/output.{n}.txt": f"{2 * n + 5}\n" for n in range(6)}
    fast = "print(sum(map(int, input().split())) + 0)\n"
    write_files(tmp_path / "01", {"slow.py": slow, "fast.py": fast, **cases})
    results = tmp_path / "rows.jsonl"
    done = arena(tmp_path, "coffe", "--results", str(results), "--wrong", "1")
    rows = [json.loads(text) for text in results.read_text().splitlines()]
    assert [row["kind"] for row in rows] == [RIGHT, WRONG], done.stdout + done.stderr
    assert is_accepted(rows[0])
    assert not is_false(rows[1])


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


@given(st.sampled_from([SLOW, EXPERT, TASK, PROBLEMS]), st.integers(0, 50))
def test_a_mutant_is_another_program(source: str, seed: int) -> None:
    found = list(mutants(source, seed))
    assert found
    assert all(ast.dump(ast.parse(each)) != ast.dump(ast.parse(source)) for each in found)
