"""The README says what is so: its flags, commands, files and exit statuses exist, and its Python runs."""

from __future__ import annotations

import argparse
import re
import tomllib
from pathlib import Path

import pytest

from codeopt import errors, registry
from codeopt.cli import build_parser
from codeopt.commands._defaults import TABLES, flag_of
from sandbox.__main__ import _parser as sandbox_parser
from tests.codeopt.command import QUICK_SETTINGS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]


@pytest.fixture(scope="module")
def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    commands = {name: registry.load("codeopt.commands", name) for name in registry.names("codeopt.commands")}
    parser = build_parser(commands)
    (choices,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(choices.choices)


def flags(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


def test_every_flag_that_is_named_exists(parsers: dict[str, argparse.ArgumentParser]) -> None:
    known = set().union(*map(flags, parsers.values()), flags(sandbox_parser()))
    ours = re.sub(r"`python -m (?!sandbox)[^`]*`|python -m pytest .*", "", README)
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", ours))
    assert named - known == set()


def test_flags_stand_with_their_own_command(parsers: dict[str, argparse.ArgumentParser]) -> None:
    for name, rest in re.findall(r"codeopt ([a-z]+)([^`\n#]*)", README):
        if name in parsers:
            named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", rest))
            assert named <= flags(parsers[name]), f"codeopt {name}{rest}"


def test_every_command_is_named(parsers: dict[str, argparse.ArgumentParser]) -> None:
    assert [name for name in parsers if f"`codeopt {name}" not in README] == []


def test_the_settings_are_keys(parsers: dict[str, argparse.ArgumentParser]) -> None:
    (text,) = (text for language, text in BLOCKS if language == "toml")
    known = {flag_of(action) for parser in parsers.values() for action in parser._actions}
    assert set(tomllib.loads(text)["tool"]["codeopt"]) - known - set(TABLES) == set()


def test_every_exit_status_is_named() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CodeoptError)]
    named = {int(number) for number in re.findall(r"^\| (\d+) \|", README, re.MULTILINE)}
    assert {kind.exit_status for kind in kinds} | {0, 1, 6, 130, 70} == named


def test_links_lead_to_files() -> None:
    assert [path for path in re.findall(r"\]\(([^):]+)\)", README) if not (ROOT / path).exists()] == []


def test_no_line_is_longer_than_a_terminal() -> None:
    shown = [line for language, text in BLOCKS if not language for line in text.splitlines()]
    assert [line for line in shown if len(line) > 110] == []


@pytest.mark.parametrize("text", PYTHON, ids=lambda text: text.splitlines()[0])
def test_its_python_runs(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From the repository's folder, as a reader would; the runs are saved elsewhere, and short."""
    for name, value in QUICK_SETTINGS.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems").symlink_to(ROOT / "problems")
    exec(compile(text, "README.md", "exec"), {})


def test_there_is_python_to_run() -> None:
    assert len(PYTHON) == 2
