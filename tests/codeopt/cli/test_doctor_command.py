"""`codeopt doctor`: what this machine guarantees, what is missing, and what to do; and when it fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.commands import doctor
from codeopt.cli.commands.doctor import Health
from codeopt.core.plugins import extras
from tests.codeopt.command import codeopt


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
