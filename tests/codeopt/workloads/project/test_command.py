"""What `--run` takes as a command of Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.workloads.project.command import read_command


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (" ", "--run is empty"),
        ("python 'x", "No closing"),
        ("python a.py | wc", "needs a shell"),
        ("ls -l", "no Python"),
    ],
)
def test_a_command_that_is_none(tmp_path: Path, line: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_command(line, tmp_path)


@pytest.mark.parametrize(
    ("text", "runs"),
    [("#!/usr/bin/env python3\nprint()\n", True), ("#!/bin/sh\necho\n", False), ("# python\nprint()\n", False),
     ("#!/bin/" + "x" * 400 + "python\n", False), ("#!" + "x" * 392 + "python\n", True)],
)  # fmt: skip
def test_a_tool_is_a_program_of_python_by_its_first_line(tmp_path: Path, text: str, runs: bool) -> None:
    (tmp_path / "tool").write_text(text)
    (tmp_path / "tool").chmod(0o755)
    if not runs:
        with pytest.raises(UsageError, match="is no Python program"):
            read_command(f"{tmp_path}/tool 3", tmp_path)
        return
    option, code, argument = read_command(f"{tmp_path}/tool 3", tmp_path).words
    assert (option, "'tool'" in code, repr(text) in code, argument) == ("-c", True, True, "3")


def test_variables_and_paths_of_the_project(tmp_path: Path) -> None:
    command = read_command(f"N=1 python3 {tmp_path}/bench.py --data={tmp_path}/data.json", tmp_path)
    assert command.words == ("bench.py", "--data=data.json")
    assert command.variables == (("N", "1"),)
    assert command.script == "bench.py"
