"""`codeopt doctor`: what this machine guarantees, what is missing, and what to do; and when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.commands import doctor
from codeopt.cli.commands.doctor import Health, Row
from codeopt.core.extras import extras
from tests.codeopt.command import codeopt


@pytest.mark.full
def test_a_whole_examination_of_a_project_whose_python_is_broken(tmp_path: Path) -> None:
    (tmp_path / "python").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "python").chmod(0o755)
    done = codeopt("doctor", "--sandbox", "bubblewrap", "--python", "./python", "--json", cwd=tmp_path)
    found = done.json
    rows = {row["subject"]: row for row in found["checks"]}
    assert rows.keys() == {"machine", "clocks", "Python", "extras", "sandbox", "limits of a run", "timing"}
    assert all(row["hint"] for row in rows.values() if row["state"] != "ok")
    assert (rows["Python"]["state"], found["ok"], done.status) == ("fail", False, 1)
    assert "--python" in rows["Python"]["hint"]
    assert rows["sandbox"]["message"].startswith("bubblewrap: ")
    assert "of a program and itself" in rows["timing"]["message"]


def test_where_nothing_isolates_that_is_a_failure(tmp_path: Path) -> None:
    variables = {"DOCKER_HOST": "unix:///nowhere/docker.sock"}
    for backend, said in (("docker", "no Docker engine answers"), ("process", "process: ")):
        done = codeopt("doctor", "--sandbox", backend, "--json", cwd=tmp_path, env=variables)
        row = next(row for row in done.json["checks"] if row["subject"] == "sandbox")
        assert (row["state"], said in row["message"], done.status) == ("fail", True, 1)
        assert "Docker engine" in row["hint"]


@pytest.mark.parametrize("wrong", [["nowhere"], ["--sandbox", "cellar"]])
def test_bad_input_is_one_line(wrong: list[str], tmp_path: Path) -> None:
    done = codeopt("doctor", *wrong, cwd=tmp_path)
    assert (done.status, "Traceback" in done.err) == (2, False)


def test_a_kernel_without_counters_is_a_note(tmp_path: Path) -> None:
    assert doctor._clocks(tmp_path / "none").state is Health.NOTE
    assert "--metric cpu" in doctor._clocks(tmp_path / "none").hint


def test_extras_are_those_that_a_user_may_want() -> None:
    assert {"mcp", "lsp", "prices"} <= extras().keys()
    assert not {"test", "docs"} & extras().keys()
    assert any(each.startswith("pygls") for each in extras()["lsp"])


def test_failures_and_notes_come_first_and_each_says_what_to_do() -> None:
    rows = [
        Row("sandbox", Health.OK, "bubblewrap: namespaces"),
        Row("extras", Health.NOTE, "not installed: lsp", "only if you need them: pip install 'codeopt[lsp]'"),
        Row("machine", Health.OK, "word " * 30),
    ]
    shown = doctor.table(rows).splitlines()
    assert shown[:3] == [
        "NOTE  extras           not installed: lsp",
        "                       only if you need them: pip install 'codeopt[lsp]'",
        "OK    sandbox          bubblewrap: namespaces",
    ]
    assert max(map(len, shown)) <= 80
    assert shown[-1] == "Ready. 1 note, nothing failed."
    failed = doctor.table([*rows, Row("Python", Health.FAIL, "it does not start", "name another")])
    assert failed.startswith("FAIL  Python ")
    assert failed.endswith("\nNot ready: 1 check failed, 1 note.\n")
