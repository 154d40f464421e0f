"""Help that helps: examples that parse, what is used most first, what a wrong name may have meant, errors as JSON."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from codeopt.cli.main import _split, build_parser
from codeopt.cli.parser import SUMMARIES, CommandParser, commands_of, list_of_commands
from codeopt.core import plugins
from tests.codeopt.command import codeopt

COMMANDS = {name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")}


@pytest.fixture(scope="module")
def parsers() -> dict[str, CommandParser]:
    return commands_of(build_parser(COMMANDS))


@pytest.mark.parametrize("name", COMMANDS)
def test_examples_parse_and_the_first_flags_exist(name: str, parsers: dict[str, CommandParser]) -> None:
    shown = parsers[name].format_help()
    assert "\nExamples:\n  codeopt " in shown
    for line in parsers[name].examples:
        assert line in shown
        words = shlex.split(line.partition("   ")[0].partition(" | ")[0].partition(" > ")[0])
        assert words[:2] == ["codeopt", name]
        parsers[name].parse_args(_split(words[1:], COMMANDS)[0][1:])
        given = _split(words[1:], COMMANDS)[0][1:]
        flags = {word.partition("=")[0] for word in given if word.startswith("-")}
        assert flags <= set(re.findall(r"(?<![\w-])-[\w-]+", shown.partition("\nExamples:")[0])), line
    first = parsers[name].first
    assert len(first) <= 5
    assert set(first) <= {option for action in parsers[name]._actions for option in action.option_strings}
    places = [shown.index(flag) for flag in first]
    assert all(place < shown.index("--help") for place in places)


@pytest.mark.parametrize(
    ("arguments", "env", "said"),
    [
        (["imporve"], {}, "unknown command 'imporve'\n  hint: did you mean improve?"),
        (
            ["improve", "slow.py", "--max-round", "3"],
            {},
            "unknown option --max-round\n  hint: did you mean --max-rounds?",
        ),
        (["improve", "slow.py", "--metric", "cpuu"], {}, "did you mean cpu?"),
        (["runs"], {"CODEOPT_MAX_ROUND": "3"}, "CODEOPT_MAX_ROUND\n  hint: did you mean CODEOPT_MAX_ROUNDS?"),
    ],
)
def test_what_was_meant(arguments: list[str], env: dict[str, str], said: str, tmp_path: Path) -> None:
    done = codeopt(*arguments, cwd=tmp_path, env=env)
    assert (done.status, done.out, len(done.lines)) == (2, "", 2)
    assert said in done.err


def test_variables_of_others_are_left_alone(tmp_path: Path) -> None:
    env = {"CODEOPT_OWN_API_KEY": "x", "CODEOPT_REQUIRE_DOCKER": "1"}
    assert codeopt("runs", cwd=tmp_path, env=env).status == 0


@pytest.mark.parametrize("arguments", [["improve", "gone.py"], ["improve", "slow.py", "--lokc"], ["show", "gone"]])
def test_errors_are_objects_where_objects_are_asked_for(arguments: list[str], tmp_path: Path) -> None:
    done = codeopt(*arguments, "--json", cwd=tmp_path)
    assert done.status == 2
    assert done.json["schema"] == "codeopt.error/1"
    assert done.json["status"] == 2
    hint = done.json["hint"]
    assert done.lines == [f"error: {done.json['error']}", *[f"  hint: {hint}"] * bool(hint)]
    assert codeopt(*arguments, cwd=tmp_path).out == ""


def test_a_shell_completes_commands_and_flags(tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    done = codeopt("--print-completion", "bash", cwd=tmp_path)
    assert done.status == 0, done.err
    script = tmp_path / "codeopt.bash"
    script.write_text(done.out)
    ask = f"source {script}; COMP_WORDS=(codeopt improve --max-r); COMP_CWORD=2; _shtab_codeopt; echo ${{COMPREPLY[@]}}"
    shown = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
    assert "--max-rounds" in shown.stdout.split()


@pytest.mark.parametrize("columns", ["60", "80", "140"])
def test_the_list_of_commands_is_that_of_the_commands(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = list_of_commands()
    assert shown == build_parser(COMMANDS).format_help()
    assert {name: module.__doc__.partition("\n")[0] for name, module in COMMANDS.items()} == SUMMARIES
    assert len(shown.splitlines()) <= 50


@pytest.mark.parametrize(
    ("words", "absent"),
    [
        (["--help"], ["codeopt.cli.main", "codeopt.core.options", "codeopt_sandbox"]),
        (["compare", "--help"], ["codeopt.cli.commands.improve", "codeopt.serving.mcp_command", "asyncio"]),
    ],
)
def test_help_loads_no_other_command(words: list[str], absent: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "codeopt", *words], capture_output=True, text=True, check=True
    )
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "codeopt.cli.start" in loaded
    assert not loaded & set(absent)
    assert "Usage: codeopt " in done.stdout


def test_help_on_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "codeopt", "--help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr


def test_a_setting_of_another_command_is_none_of_this_one(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.codeopt]\nmodel = "gpt-5"\n')
    assert codeopt("clean", "--help", cwd=tmp_path, env={"CODEOPT_MAX_ROUNDS": "3"}).status == 0
    (tmp_path / "pyproject.toml").write_text("[tool.codeopt]\nmax-round = 1\n")
    assert "did you mean max-rounds?" in codeopt("clean", cwd=tmp_path).err
    assert codeopt("--help", cwd=tmp_path, fresh=True).status == 0
