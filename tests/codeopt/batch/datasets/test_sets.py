"""Each layout of a problem set, and what is done with what does not fit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeopt.batch.datasets import Problem, SetRequest, read_set
from codeopt.core.errors import UsageError

PROBLEMS = Path(__file__).parents[4] / "problems"


def read(path: Path, cases: Path | None = None) -> list[Problem]:
    return list(read_set(SetRequest(path, cases)))


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return path


def test_the_bundled_problems_with_their_targets() -> None:
    found = read(PROBLEMS)
    assert [p.id for p in found] == sorted(folder.parent.name for folder in PROBLEMS.glob("*/slow.py"))
    assert all(p.target and p.cases == p.path.parent and not p.skipped for p in found)


def test_pie_lines_with_cases_in_a_folder_each(tmp_path: Path) -> None:
    (tmp_path / "cases" / "p1").mkdir(parents=True)
    row = {"problem_id": "p1", "input": "print(1)\n", "target": "print( 1)\n"}
    (found,) = read(write_lines(tmp_path / "pairs.jsonl", row), tmp_path / "cases")
    assert (found.id, found.source, found.target) == ("p1", "print(1)\n", "print( 1)\n")
    assert found.cases == tmp_path / "cases" / "p1"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "no JSON object"),
        ('["a", "list"]', "no JSON object"),
        ('{"problem_id": "p1", "input": ""}', "no program"),
        ('{"problem_id": "p1", "input": 5}', "no program"),
        ('{"problem_id": "p1", "input": "print 1"}', "not Python 3"),
        ('{"problem_id": "p9", "input": "print(1)"}', "no cases"),
        ('{"problem_id": "../p1", "input": "print(1)"}', ""),
    ],
)
def test_a_line_that_cannot_be_tried_is_a_row_with_its_reason(tmp_path: Path, line: str, reason: str) -> None:
    (tmp_path / "p1").mkdir()
    (found,) = read(write_lines(tmp_path / "pairs.jsonl", line))
    assert reason in found.skipped
    assert bool(found.skipped) == bool(reason)


def test_ids_that_come_again_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "p1").mkdir()
    row = {"problem_id": "p1", "input": "print(1)\n"}
    assert [p.id for p in read(write_lines(tmp_path / "pairs.jsonl", row, row, row))] == ["p1", "p1#2", "p1#3"]


def test_a_folder_of_programs_looks_for_cases_by_name(tmp_path: Path) -> None:
    for name in ("b.py", "a.py", "generate.py", "_private.py"):
        (tmp_path / name).write_text("print(1)\n")
    (tmp_path / "broken.py").write_text("print(\n")
    (tmp_path / "cases" / "a").mkdir(parents=True)
    a, b, broken = read(tmp_path)
    assert (a.id, a.cases) == ("a", tmp_path / "cases" / "a")
    assert (b.id, b.cases) == ("b", tmp_path / "b")
    assert "broken.py:1" in broken.skipped


def test_a_list_of_functions(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("def f():\n    return 1\n")
    listed = write_lines(
        tmp_path / "list.txt", "# some functions", "m.py::f  # the first", "", "m.py::C.g", "gone.py::f"
    )
    f, g, gone = read(listed)
    assert (f.id, f.path, f.function) == ("m.py::f", tmp_path / "m.py", "f")
    assert g.function == "C.g"
    assert "gone.py" in gone.skipped


@pytest.mark.parametrize("name", ["nothing", "empty", "notes.md"])
def test_what_is_no_set_is_a_usage_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.md").write_text("no set")
    with pytest.raises(UsageError, match="problem set"):
        read(tmp_path / name)
