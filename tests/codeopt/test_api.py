"""`from codeopt import improve`: the command as a function."""

from __future__ import annotations

import os
import runpy
import shutil
from pathlib import Path

import pytest

import codeopt
from codeopt.core.console import Console
from codeopt.serving.handlers import handle
from codeopt.serving.request import Operation, OperationRequest
from tests.codeopt import command
from tests.codeopt.command import FAST, SLOW, reply, write_problem
from tests.conftest import require_sandbox
from tests.support.wire_server import WireServer

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
QUICK = {"sandbox": "bubblewrap", "no_profile": True, "mutated_inputs": "off"}


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_result_has_it_all(tmp_path: Path) -> None:
    path = write_problem(tmp_path, words=1500)
    (tmp_path / "answers.txt").write_text(reply(FAST, "a set"))
    lines: list[str] = []
    result = codeopt.improve(
        path, model="scripted:answers.txt", feedback="none", max_rounds=1, notify=lines.append, **QUICK
    )
    assert result.accepted
    assert result.source == FAST
    assert result.comparison is not None
    assert result.diff.startswith("--- a/slow.py\n+++ b/slow.py\n")
    assert (result.saved / "best.py").read_text() == FAST
    assert path.read_text() == SLOW
    assert any("x faster" in line for line in lines)


def test_nothing_accepted_is_the_original(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = write_problem(tmp_path, words=1500)
    (tmp_path / "answers.txt").write_text("no idea")
    result = codeopt.improve(path, model="scripted:answers.txt", feedback="none", max_rounds=1, **QUICK)
    assert (result.accepted, result.source, result.diff, result.comparison) == (False, SLOW, "", None)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("flags", "said", "status"),
    [
        ({"cases": "nowhere"}, "--cases nowhere is not a directory", 2),
        ({"max_rounds": 0}, "0 is not a whole number above zero", 2),
        ({"check": "fuzzy"}, "there is no checker 'fuzzy'", 2),
        ({"select": ["magic"]}, "magic", 2),
        ({"model": "gpt-5"}, "no language model is configured", 4),
    ],
)
def test_what_is_wrong_is_an_error_with_a_status(
    flags: dict[str, object], said: str, status: int, tmp_path: Path
) -> None:
    with pytest.raises(codeopt.CodeoptError) as caught:
        codeopt.improve(write_problem(tmp_path), **{**QUICK, **flags})
    assert said in str(caught.value)
    assert caught.value.exit_status == status


@pytest.mark.parametrize("name", ["max_round", "write", "json", "target"])
def test_an_unknown_keyword_is_a_type_error(name: str) -> None:
    with pytest.raises(TypeError, match=name):
        codeopt.improve("slow.py", **{name: True})


@pytest.mark.full
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_run(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in command.QUICK_SETTINGS.items():
        monkeypatch.setenv(name, value)
    runpy.run_path(os.fspath(path), run_name="__main__")


def test_the_task_of_the_examples_is_found_by_its_dotted_path(tmp_path: Path) -> None:
    """From the working directory. The fast program is refused, for it is longer."""
    write_problem(tmp_path, words=1500)
    shutil.copytree(EXAMPLES[0].parent, tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "answers.txt").write_text(reply(FAST, "a set"))
    arguments = ("--task", "examples.your_own_task", "--model", "scripted:answers.txt", "-n", "1")
    done = command.codeopt(
        "improve", "slow.py", "-v", *arguments, *command.QUICK, cwd=tmp_path, env=command.NO_FEEDBACK
    )
    assert done.status == 6, done.err
    assert "slow.py   task short" in done.err
    assert "x faster" in done.err
    assert done.out == ""


@pytest.mark.full
@pytest.mark.parametrize("served", [False, True], ids=["called", "served"])
def test_a_price_of_the_project_is_not_believed(tmp_path: Path, served: bool) -> None:
    """Who wrote the program may have written the price too: at nothing a token no limit of cost would hold."""
    require_sandbox()
    path = write_problem(tmp_path)
    prices = '[tool.codeopt.prices."wire-model-1"]\ninput = 0\noutput = 0\n'
    (tmp_path / "pyproject.toml").write_text(prices)
    with WireServer(["hm\nVERDICT: IMPROVE", *[reply(command.WRONG)] * 3]) as server:
        options = {"model": server.model, "base_url": server.base_url, "max_cost": 1.0, **QUICK}
        if served:
            asked = OperationRequest(Operation.IMPROVE, str(path), options)
            said = str(handle(asked, Console(quiet=True))["stop_reason"])
        else:
            said = codeopt.improve(path, **options).stop_reason
    assert "cannot be held, as the price of the model is not known" in said
