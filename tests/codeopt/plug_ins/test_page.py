"""The files of docs/extend/writing-a-plug-in.md, as a package outside of codeopt, do what the page says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from codeopt.cli.command import command_of
from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.engine.searches import search_of
from codeopt.workloads._protocol import kind_in
from tests.codeopt.command import QUICK, codeopt
from tests.conftest import require_sandbox
from tests.support.outside_package import write_package

COUNT = "total = 0\nfor k in range(int(input())):\n    total += k\nprint(total)\n"


@pytest.mark.full
def test_guard_task_search_and_model_take_part(tmp_path: Path) -> None:
    """In one improvement; the draft is one line, so the guard has nothing to say of it."""
    require_sandbox()
    env = write_package(tmp_path)
    (tmp_path / "slow.py").write_text(COUNT)
    (tmp_path / "in.txt").write_text("300000\n")
    done = codeopt(
        "improve", "slow.py", "--stdin", "in.txt", "--task", "shorter", "--model", "fixed:any",
        "--max-rounds", "1", *QUICK, "--json", cwd=tmp_path, env={**env, "CODEOPT_SEARCH": "afresh"},
    )  # fmt: skip
    assert done.status == 0, done.err
    assert (done.json["accepted"], done.json["task"]) == (True, "shorter")
    assert "times as long" not in str(done.json["notes"])


@pytest.mark.full
def test_one_that_is_called_like_one_of_ours_is_one_line(tmp_path: Path) -> None:
    """It would stand in the place of ours."""
    env = write_package(tmp_path)
    points = tmp_path / "house_rules-1.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text().replace("cube =", "counter ="))
    done = codeopt("improve", "--list-rules", cwd=tmp_path, env=env)
    assert (done.status, len(done.facts)) == (2, 1), done.err
    assert "the rule counter (house_rules.cube) has the name of a built-in one" in done.err


MISSPELT = {
    "command": ("@command(example=())\ndef run(arguments): ...\n", "unexpected keyword argument 'example'"),
    "command's function": ("@command()\ndef runs(arguments): ...\n", "a command of run(arguments), not of runs"),
    "reporter": ("@reporter\ndef rendr(review): ...\n", "render(review), not of rendr"),
    "model": ("@backend\ndef built(name, settings): ...\n", "a backend of build(name, settings), not of built"),
    "workload": ("@workload(print, prioritty=3)\ndef open_workload(request): ...\n", "argument 'prioritty'"),
}
WHERE = {"command": "cli.command", "reporter": "review.reporters", "backend": "models", "workload": "workloads"}


@pytest.mark.parametrize("kind", MISSPELT)
def test_what_a_decorator_does_not_know_is_an_error(kind: str, tmp_path: Path) -> None:
    text, said = MISSPELT[kind]
    decorator = text[1:].partition("\n")[0].partition("(")[0]
    path = tmp_path / "misspelt.py"
    path.write_text(f"from codeopt.{WHERE[decorator]} import {decorator}\n{text}")
    with pytest.raises(UsageError, match=re.escape(said)):
        plugins.load_file(path)


UNDECORATED = """
def run(arguments): return 5
def open_workload(request): ...
def next_move(position): ...
"""


@pytest.mark.parametrize(
    ("open_", "function"),
    [
        (command_of, "run"),
        (kind_in, "open_workload"),
        (search_of, "next_move"),
    ],
)
def test_a_function_without_its_decorator_is_an_error(
    tmp_path: Path, open_: Callable[[ModuleType], object], function: str
) -> None:
    (tmp_path / "plain.py").write_text(UNDECORATED)
    with pytest.raises(UsageError, match=f"decorates no {function} with @"):
        open_(plugins.load_file(tmp_path / "plain.py"))
