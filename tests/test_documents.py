"""The documents say what is so: each command in them exists and is run as it is written, or says why it is not."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

from codeopt.cli.main import build_parser
from codeopt.cli.parser import commands_of
from codeopt.cli.settings import PRICES, flag_of
from codeopt.core import errors, plugins
from codeopt.rules import all_rules
from tests.codeopt.command import QUICK_SETTINGS, codeopt
from tests.support.documents import DOCUMENTS, ROOT, Block, all_blocks, blocks
from tests.support.reader import write_project

COMMANDS = all_blocks("sh")
RUN = [block for block in COMMANDS if not block.mark]
PYTHON = [
    pytest.param(block, id=str(block), marks=pytest.mark.full if "improve(" in block.text else ())
    for block in all_blocks("python")
    if not block.mark
]
SETTINGS = {**QUICK_SETTINGS, "CODEOPT_MAX_PAIRS": "8", "CODEOPT_MIN_SHARE": "95%", "VIRTUAL_ENV": sys.prefix}
"""What makes the runs short; the commands stay as they are written."""
DONE = (0, 1)
"""1: nothing faster was found, which may well be so; what cannot be run ends with more."""


@pytest.fixture(scope="module")
def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of each command."""
    commands = {name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")}
    return commands_of(build_parser(commands))


def flags(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


def documents() -> pytest.MarkDecorator:
    return pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)


@documents()
def test_every_flag_that_is_named_stands_with_its_own_command(
    document: Path, parsers: dict[str, argparse.ArgumentParser]
) -> None:
    for name, rest in re.findall(r"codeopt ([a-z]+)([^`\n#]*)", document.read_text("utf-8")):
        if name in parsers:
            ours = re.split(r" -- | \| ", rest)[0]
            ours = re.sub(r'"[^"]*"', "", ours)
            named = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", ours))
            assert named <= flags(parsers[name]), f"codeopt {name}{rest}"


JUDGED = {"improve", "compare", "check"}
"""Commands that run the judge, which takes its seconds."""


def is_judged(block: Block) -> bool:
    return bool(JUDGED & {name for _, name, *_ in block.commands})


@pytest.mark.parametrize(
    "block",
    [pytest.param(block, id=str(block), marks=pytest.mark.full if is_judged(block) else ()) for block in RUN],
)
def test_its_commands_run(block: Block, tmp_path: Path) -> None:
    """From a reader's project, one after the other."""
    project = write_project(tmp_path / "project")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for program, *arguments in block.commands:
        assert program == "codeopt", f"{block}: only codeopt is run here"
        done = codeopt(*arguments, cwd=project, env={**SETTINGS, "PATH": path})
        assert done.status in DONE, f"codeopt {' '.join(arguments)}: {done.err}"


@pytest.mark.parametrize("block", PYTHON)
def test_its_python_runs(block: Block, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """From the repository's folder, as a reader would; the runs are saved elsewhere, and short."""
    for name, value in {**QUICK_SETTINGS, "CODEOPT_MAX_PAIRS": SETTINGS["CODEOPT_MAX_PAIRS"]}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "problems").symlink_to(ROOT / "problems")
    module = ModuleType("documents")  # dataclasses look for their module among those that are loaded
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(block.text, str(block), "exec"), vars(module))


def test_all_rewrites_are_listed_in_their_order() -> None:
    """Each with its marks."""
    text = (ROOT / "docs/rules.md").read_text("utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (.*?)( Tests decide\.)? \|$", text, re.MULTILINE)
    listed = [(name, reason, bool(tested)) for name, reason, tested in rows]
    rules = all_rules()
    assert listed == [(each.name, each.reason, each.safety == "unsafe") for each in rules]
    assert f"these {len(rules)} rewrites" in text
    assert sum(each.scripts_only for each in rules) == 4, "docs/rules.md says four"


@documents()
def test_the_files_that_are_named_exist(document: Path) -> None:
    """Of this repository; NAME stands for any."""
    named = re.findall(r"`((?:codeopt|sandbox|tests|benchmarks|examples)/[\w./]*)`", document.read_text("utf-8"))
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_settings_are_keys(parsers: dict[str, argparse.ArgumentParser]) -> None:
    shown = blocks(ROOT / "docs/flags.md")
    projects, users = (tomllib.loads(block.text) for block in shown if block.language == "toml")
    known = {flag_of(action) for parser in parsers.values() for action in parser._actions}
    assert set(projects["tool"]["codeopt"]) - known == set()
    assert set(users) - known == {PRICES}


def test_every_exit_status_is_named() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CodeoptError)]
    text = (ROOT / "docs/results.md").read_text("utf-8")
    named = {int(number) for number in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert {kind.exit_status for kind in kinds} | {0, 1, 6, 130, 70} == named
