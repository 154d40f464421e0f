"""One table of options: what a command offers it can use, a name means one thing, and the page says what is true."""
# looks at codeopt/cli/command_flags, codeopt/cli/flags, codeopt/core/flag

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from codeopt.cli.commands import batch, check, compare, improve, review
from codeopt.cli.flags import options_of
from codeopt.cli.main import build_parser
from codeopt.cli.parser import commands_of
from codeopt.serving import mcp_command
from docs.flags import written_into
from tests.codeopt.command import codeopt

COMMANDS: dict[str, Any] = {"batch": batch, "check": check, "improve": improve, "review": review, "mcp": mcp_command}
NEEDED = {"batch": ["set", "--run-dir", "out"], "improve": ["slow.py"], "check": [], "review": [], "mcp": []}
PAGE = Path(__file__).parents[3] / "docs" / "flags.md"


def parse(command: str, *words: str) -> argparse.Namespace:
    return build_parser(COMMANDS).parse_args([command, *NEEDED[command], *words])


def test_the_page_has_the_flags_that_there_are() -> None:
    """Otherwise: python -m docs.flags."""
    page = PAGE.read_text("utf-8")
    assert page == written_into(page)


@pytest.mark.parametrize("command", COMMANDS)
def test_one_name_for_the_time_that_a_command_may_take(command: str) -> None:
    assert parse(command, "--max-seconds", "90").max_seconds == 90
    assert parse(command, "--max-seconds", "15m").max_seconds == 900


@pytest.mark.parametrize("command", ["batch", "review"])
def test_what_is_always_refused_is_not_offered(command: str, tmp_path: Path) -> None:
    done = codeopt(command, *NEEDED[command], "--record", "talk.jsonl", cwd=tmp_path)
    assert done.status == 2
    assert "unknown option --record" in done.err


def test_a_list_of_a_setting_is_a_list_and_flags_take_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.codeopt]\ntests = ["a", "b"]\n')
    monkeypatch.chdir(tmp_path)
    assert options_of(parse("improve")).tests == (tmp_path / "a", tmp_path / "b")
    assert options_of(parse("improve", "--tests", "c")).tests == (Path("c"),)
    monkeypatch.setenv("CODEOPT_TESTS", "d,e")
    assert options_of(parse("improve")).tests == (Path("d"), Path("e"))


@pytest.mark.parametrize(("command", "module"), [*COMMANDS.items(), ("compare", compare)])
def test_help_is_short_and_help_all_is_whole(command: str, module: Any) -> None:
    one = commands_of(build_parser({command: module}))[command]
    flags = [
        action.option_strings[-1] for action in one._actions if action.option_strings and action.help != "==SUPPRESS=="
    ]
    short, whole = one.format_help(), one.format_flags(everything=True)
    shown = [flag for flag in flags if f"{flag} " in short or f"{flag}\n" in short]
    assert all(flag in whole for flag in flags)
    assert len(shown) <= 13
    assert "--help-all" in shown
