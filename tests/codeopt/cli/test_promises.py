"""What commands promise scripts: exit statuses of reviews, the program that a word of a command means, and files that
other tools read."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.commands import review
from codeopt.cli.exports import check_export, export, pyperf_text, pytest_benchmark_text
from codeopt.core.errors import UsageError
from codeopt.engine.compare import PairResult
from codeopt.report.verdict import Verdict
from codeopt.review.suggestion import ComparedFunction
from codeopt.workloads.function.recording import as_the_user_runs_it
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.sequential_test import LimitAnswer, LimitTest
from tests.support.reviews import FILES, IN_NEW
from tests.support.reviews import review as made_review

PASS, FAIL, OPEN = LimitAnswer.PASS, LimitAnswer.FAIL, LimitAnswer.INCONCLUSIVE


@pytest.mark.parametrize(
    ("limits", "failure", "flags", "status"),
    [
        ((), 0, {}, 0),
        ((), 0, {"fail_level": "any"}, 1),
        ((), 0, {"fail_level": "any", "found": False}, 0),
        ((), 4, {}, 0),
        ((), 4, {"strict": True}, 4),
        ((), 130, {}, 130),
        ((PASS,), 0, {"fail_if_slower": 0.05}, 0),
        ((PASS, OPEN), 0, {"fail_if_slower": 0.05}, 5),
        ((PASS, OPEN, FAIL), 0, {"fail_if_slower": 0.05}, 1),
        ((FAIL,), 3, {"fail_if_slower": 0.05, "strict": True}, 3),
        ((FAIL,), 130, {"fail_if_slower": 0.05}, 130),
    ],
)
def test_the_exit_status_of_a_review(
    limits: tuple[LimitAnswer, ...],
    failure: int,
    flags: dict[str, Any],
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    verdicts = [Verdict(Decision.SAME, limit=LimitTest(0.05, each, 0.01, 9)) for each in limits]
    rows = tuple(ComparedFunction("m.py", "f", PairResult(each)) for each in verdicts)
    made = made_review(FILES, *([IN_NEW] if flags.pop("found", True) else []))
    monkeypatch.setattr(review, "make_review", lambda *_: (made, failure))
    monkeypatch.setattr(review, "_with_limits", lambda _, one, failed, __: (replace(one, limits=rows), failed))
    given = argparse.Namespace(output_format="json", json=True, quiet=True, output=tmp_path / "out", strict=False,
                               fail_level="none", fail_if_slower=None, own_words=frozenset(), settings={})  # fmt: skip
    vars(given).update(flags)
    monkeypatch.setattr("codeopt.cli.settings.require_own_word", lambda *_: None)
    monkeypatch.setattr("codeopt.cli.settings.set_aside", lambda *_: None)
    monkeypatch.setattr(review, "_refuse", lambda *_: None)
    assert review.run(given) == status
    assert json.loads((tmp_path / "out").read_text())["suggestions"] or not made.suggestions


@pytest.mark.parametrize(
    ("words", "python", "there", "expected"),
    [
        ("./tool.sh a", None, (), "./tool.sh a"),
        ("python a.py", "/own/python3.13", (), "/own/python3.13 a.py"),
        ("python3 a.py", "/own/python3.13", (), "/own/python3.13 a.py"),
        ("python a.py", None, ("active/bin/python", "p/.venv/bin/python"), "@/active/bin/python a.py"),
        ("python a.py", None, ("p/.venv/bin/python3", "p/venv/bin/python"), "@/p/.venv/bin/python3 a.py"),
        ("python3 a.py", None, ("p/.venv/bin/python", "path/python3"), "@/path/python3 a.py"),
        ("tool a", None, ("p/venv/bin/tool", "path/tool"), "@/p/venv/bin/tool a"),
        ("tool a", "@/own/python", ("own/tool", "active/bin/tool"), "@/own/tool a"),
        ("tool a", None, ("path/tool",), "@/path/tool a"),
        ("tool a", None, (), ""),
    ],
)
def test_the_program_that_a_word_means(
    words: str,
    python: str | None,
    there: tuple[str, ...],
    expected: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in there:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "active"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "codeopt" / "python"))
    given = python.replace("@", str(tmp_path)) if python else None
    if expected:
        assert as_the_user_runs_it(words.split(), tmp_path / "p", given) == expected.replace("@", str(tmp_path)).split()
    else:
        with pytest.raises(UsageError):
            as_the_user_runs_it(words.split(), tmp_path / "p", given)


def test_benchmarks_are_written_for_other_tools(tmp_path: Path) -> None:
    rows = [("t.py::test_f", [1.0, 2.0, 3.0, 4.0, 15.0]), ("g", [0.5]), ("h", [0.0, 2.0])]
    machine = {"node": "n", "python_version": "3.11", "system": "Linux"}
    first, second, _ = json.loads(pytest_benchmark_text(rows, datetime(2030, 1, 2, tzinfo=UTC), machine))["benchmarks"]
    stats = {"min": 1, "max": 15, "mean": 5, "rounds": 5, "median": 3, "iqr": 2, "q1": 2, "q3": 4, "total": 25,
             "ops": 0.2, "outliers": "1;1", "ld15iqr": 1, "hd15iqr": 15, "iterations": 1}  # fmt: skip
    assert (first["name"], first["fullname"]) == ("test_f", "t.py::test_f")
    assert stats.items() <= first["stats"].items()
    assert first["stats"]["stddev"] == pytest.approx(5.7009, abs=1e-4)
    assert (second["stats"]["stddev"], second["stats"]["q1"], second["stats"]["outliers"]) == (0, 0.5, "0;0")
    two = json.loads(pytest_benchmark_text([("f", [1.0, 3.0])], datetime(2030, 1, 2, tzinfo=UTC), machine))
    assert two["benchmarks"][0]["stats"]["outliers"] == "0;0"
    told = json.loads(pyperf_text(rows, datetime(2030, 1, 2, tzinfo=UTC), machine | {"node": ""}))
    assert told["metadata"] == {"unit": "second", "python_version": "3.11", "date": "2030-01-02 00:00:00"}
    assert [each["runs"][0]["values"] for each in told["benchmarks"]] == [rows[0][1], [0.5], [2.0]]
    found = {"rows": [{"name": "f", "ratio": 2.0, "before": [2.0], "after": [1.0]}, {"name": "g", "ratio": None}]}
    export("pyperf", tmp_path / "a/b", found)
    after = json.loads((tmp_path / "a/b/after.json").read_text())["benchmarks"]
    assert [(each["metadata"]["name"], each["runs"][0]["values"]) for each in after] == [("f", [1.0])]
    export("pyperf", tmp_path / "none", {"rows": [{"ratio": None}]})
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("name", "folder", "refused"),
    [("pyperf", "new", False), ("pytest-benchmark", ".", False), ("other", "new", True), ("pyperf", "file", True)],
)
def test_what_cannot_be_written_is_refused_before(name: str, folder: str, refused: bool, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    if refused:
        with pytest.raises(UsageError):
            check_export(name, tmp_path / folder)
    else:
        check_export(name, tmp_path / folder)
