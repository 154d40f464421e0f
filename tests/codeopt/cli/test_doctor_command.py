"""`codeopt doctor`: what this machine guarantees, what is missing, and what to do; and when it fails."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeopt.cli.commands import doctor
from codeopt.core.errors import NoSandbox
from codeopt.core.extras import extras
from codeopt.engine.doctor import ExamRow, FalseAlarms, Health, backends, promises
from codeopt.engine.doctor.false_alarms import up_to
from codeopt.engine.doctor.machine import _counters
from codeopt.engine.doctor.promises import _shortfall
from codeopt_sandbox.compare import Comparison, Decision
from codeopt_sandbox.conformance import Check, CheckResult, Cost
from tests.codeopt.command import codeopt


@pytest.mark.full
def test_a_whole_examination_of_a_project_whose_python_is_broken(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "python").chmod(0o755)
    asked = ("--sandbox", "bubblewrap", "--seconds", "1", "--python", "./python", "--json", "--quiet")
    done = codeopt("doctor", *asked, cwd=tmp_path)
    found = done.json
    rows = {row["subject"]: row for row in found["checks"]}
    assert {"machine", "scheduler's counters", "backend bubblewrap", "sandbox", "extras"} <= rows.keys()
    assert {"timing of programs", "timing of functions"} <= rows.keys()
    assert all(row["hint"] for row in rows.values() if row["state"] != "ok")
    assert all(row["comparisons"] > 0 for row in found["false_positives"])
    assert (rows["project's Python"]["state"], found["ok"], done.status) == ("fail", False, 1)
    assert "--python" in rows["project's Python"]["hint"]


@pytest.mark.parametrize("wrong", [["nowhere"], ["--seconds", "none"], ["--sandbox", "cellar"]])
def test_bad_input_is_one_line(wrong: list[str], tmp_path: Path) -> None:
    done = codeopt("doctor", *wrong, cwd=tmp_path)
    assert (done.status, "Traceback" in done.err) == (2, False)


def alarms(false: int, right: int) -> FalseAlarms:
    """So many comparisons that were wrong, and so many that were right."""
    decisions = [Decision.FASTER, Decision.SLOWER] * false + [Decision.SAME] * right
    made = [Comparison(each, 1.01, 0.9, 1.1, 8, "cpu", 0.95, 0.01, "", ()) for each in decisions[false:]]
    return FalseAlarms("programs", tuple(made))


@pytest.mark.parametrize(
    ("false", "right", "state"),
    [
        (0, 20, Health.OK),
        (1, 20, Health.OK),
        (2, 20, Health.OK),
        (3, 17, Health.FAIL),
        (9, 1, Health.FAIL),
        (0, 0, Health.FAIL),
    ],
)
def test_more_false_alarms_than_chance_explains_fail(false: int, right: int, state: Health) -> None:
    """Of 20 with a share of 2 %, three or more come once in 140 examinations, two or more once in 17."""
    found = alarms(false, right)
    assert found.false == false
    assert found.finding().state is state
    assert found.finding().hint or state is Health.OK


def test_the_bound_is_that_of_clopper_and_pearson() -> None:
    assert alarms(0, 25).upper_bound == pytest.approx(1 - 0.05 ** (1 / 25))
    assert up_to(2, 20, alarms(2, 18).upper_bound) == pytest.approx(0.05)
    assert alarms(0, 25).to_json()["upper_bound"] == pytest.approx(0.1129, abs=1e-4)


def test_where_nothing_isolates_that_is_a_failure() -> None:
    def none_but_processes(name: str) -> Iterator[Cost]:
        yield Cost(name, 0.1) if name == "process" else Cost(name, unavailable="not here")

    found = list(backends(none_but_processes))
    assert [each.state for each in found].count(Health.FAIL) == 1
    assert found[-1].subject == "isolation"
    assert all(each.hint for each in found if each.state is not Health.OK)
    one = list(backends(lambda name: iter([Cost(name, 0.1 if name == "bubblewrap" else None)])))
    assert Health.FAIL not in {each.state for each in one}


def test_a_backend_that_is_not_here_is_no_promise() -> None:
    with pytest.raises(NoSandbox):
        list(promises("cellar"))


@pytest.mark.parametrize(("cannot", "state"), [(False, Health.FAIL), (True, Health.NOTE)])
def test_a_promise_that_is_broken_fails_and_one_that_cannot_be_kept_is_a_note(cannot: bool, state: Health) -> None:
    check = Check("network", "no run reaches the network", lambda sandbox: "")
    row = _shortfall(CheckResult(check, held=False, seen="it did", cannot=cannot))
    assert (row.state, row.subject) == (state, "network")
    assert "it did" in row.message
    assert row.hint


def test_a_kernel_without_counters_is_a_note(tmp_path: Path) -> None:
    assert _counters(tmp_path / "none").state is Health.NOTE
    assert "--metric cpu" in _counters(tmp_path / "none").hint


def test_extras_are_those_that_a_user_may_want() -> None:
    assert {"mcp", "lsp", "prices", "ray", "completion"} <= extras().keys()
    assert not {"test", "docs"} & extras().keys()
    assert any(each.startswith("pygls") for each in extras()["lsp"])


def test_failures_and_notes_come_first_and_each_says_what_to_do() -> None:
    rows = [
        ExamRow("sandbox", Health.OK, "27 of 27 guarantees hold"),
        ExamRow("extras", Health.NOTE, "not installed: lsp", "only if you need them: pip install 'codeopt[lsp]'"),
        ExamRow("machine", Health.OK, "word " * 30),
    ]
    shown = doctor.table(rows).splitlines()
    assert shown[:3] == [
        "NOTE  extras                not installed: lsp",
        "                            only if you need them: pip install 'codeopt[lsp]'",
        "OK    sandbox               27 of 27 guarantees hold",
    ]
    assert max(map(len, shown)) <= 80
    assert shown[-1] == "Ready. 1 note, nothing failed."
    failed = doctor.table([*rows, ExamRow("isolation", Health.FAIL, "no sandbox works here", "install one")])
    assert failed.startswith("FAIL  isolation ")
    assert failed.endswith("\nNot ready: 1 check failed, 1 note.\n")
