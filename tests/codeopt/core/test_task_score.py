"""A task speaks its own words: in the table, the summary and the JSON."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from codeopt.core.task_score import TaskMeasure, TaskScore
from tests.codeopt.command import codeopt, reply
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

TERSE = """\
RATES = {"book": 5, "toy": 20}


def total(rows):
    t=0
    for r in rows:
        if r[0] in dict(RATES):
            if r[2] > 0:
                x = r[1]*r[2]
                t=t+x + x*dict(RATES)[r[0]]//100
        else:
            if r[2] > 0:
                t=t+r[1]*r[2]
    return t
"""
CLEAR = '''\
def total(rows):
    """Cents to pay, with tax."""
    cents = 0
    for kind, price, count in rows:
        if count > 0:
            # What has no rate is free of tax.
            cents += price * count * (100 + RATES.get(kind, 0)) // 100
    return cents
'''
FROZEN = """\
PERCENT = {kind: 100 + rate for kind, rate in RATES.items()}


""" + CLEAR.replace("(100 + RATES.get(kind, 0))", "PERCENT.get(kind, 100)")
TESTS = """\
from shop.bill import RATES, total

ROWS = [("book", 1000, 2), ("toy", 999, 1), ("car", 7, 3), ("book", 500, 0)]


def test_total():
    assert [total(ROWS[:count]) for count in (0, 1, 4)] == [0, 2100, 3319]
    assert total(rows=ROWS * 60) == 3319 * 60


def test_a_rate_that_changes(monkeypatch):
    monkeypatch.setitem(RATES, "toy", 7)
    assert total(ROWS[1:2]) == 1068
"""


@pytest.mark.parametrize(
    ("measure", "words"),
    [
        (TaskMeasure("comments", 0.02, 0.17, "%"), "comments 2 -> 17 %"),
        (TaskMeasure("branches", 14, 5), "branches 14 -> 5"),
        (TaskMeasure("functions", 3, 3), "functions 3"),
        (TaskMeasure("peak", 12.25, 6.0, " MiB"), "peak 12.2 -> 6 MiB"),
    ],
)
def test_a_measure_in_words(measure: TaskMeasure, words: str) -> None:
    assert measure.words == words


def test_what_did_not_change_is_left_out() -> None:
    measures = (TaskMeasure("comments", 0.0, 0.2, "%"), TaskMeasure("functions", 3, 3))
    found = TaskScore("readability", 0.41, 0.83, "more readable", measures, "as fast as before")
    assert found.words == "readability 0.41 -> 0.83: comments 0 -> 20 %; as fast as before"


@pytest.mark.full
def test_readability_of_a_projects_function_is_told_as_readability(tmp_path: Path) -> None:
    """The evidence is the project's own tests, one of which refuses the second draft."""
    require_sandbox()
    for path, text in (("shop/__init__.py", ""), ("shop/bill.py", TERSE), ("tests/test_bill.py", TESTS)):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    told = ["Names.\nVERDICT: IMPROVE", reply(CLEAR), "Good.\nREADABILITY: BETTER\nVERDICT: IMPROVE", reply(FROZEN)]

    def answer(request: dict[str, Any]) -> str:
        first, reader, _ = request["messages"][-1]["content"].partition("## B")
        return f"Names.\nBETTER: {'A' if 'cents' in first else 'B'}" if reader else told.pop(0)

    with WireServer(answer) as server:
        done = codeopt(
            "improve", "shop/bill.py::total", "--task", "readability", "--model", server.model, "-n", "2",
            "--base-url", server.base_url, "--sandbox", "bubblewrap", "--no-profile", "--max-pairs", "3", "--json",
            cwd=tmp_path,
        )  # fmt: skip
    assert done.status == 0, done.err
    assert (done.json["evidence"]["tests"], done.json["best_round"]) == (2, 1)
    score = done.json["task_score"]
    assert score["name"] == "readability"
    assert score["after"] > score["before"] + 0.2
    assert {row["name"]: row["after"] for row in done.json["task_measures"]}["branches"] == 3
    assert done.json["rounds"][0]["task_score"]["after"] == score["after"]
    assert "preferred by a reader" in score["remark"]
    assert "test_a_rate_that_changes fails: AssertionError: assert 1198 == 1068" in done.err
    assert f"readability {score['before']:.2f} -> {score['after']:.2f}: comments 0 -> 12 %" in done.err
    critic = server.prompts[2]
    assert "names that say little: t (line 4), r (line 5), x (line 8)" in critic
    assert "comment lines: 1 of 8 (12%)" in critic
