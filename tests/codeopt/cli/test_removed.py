"""What earlier versions had: one line with what to use instead, wherever it is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.cli.main import build_parser, main
from codeopt.cli.parser import COMMANDS, OPTIONS, commands_of
from codeopt.core import plugins

WAYS = {
    "flag": (["improve", "slow.py", "--{}=x"], {}, ""),
    "variable": (["runs"], {"CODEOPT_{}": "x"}, ""),
    "settings": (["runs"], {}, '[tool.codeopt]\n{} = "x"\n'),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("key", OPTIONS)
def test_a_removed_option_is_one_line_with_what_to_use(
    key: str, way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words, variables, settings = WAYS[way]
    (tmp_path / "pyproject.toml").write_text(settings.format(key))
    monkeypatch.chdir(tmp_path)
    for name, value in variables.items():
        monkeypatch.setenv(name.format(key.upper().replace("-", "_")), value)
    assert main([word.format(key) for word in words]) == 2
    out, err = capsys.readouterr()
    error, hint = err.splitlines()
    assert (out, error.endswith("was removed"), hint) == ("", True, f"  hint: {OPTIONS[key]}")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_removed_command_is_one_line_with_what_to_use(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([name, "--json", "x"]) == 2
    assert capsys.readouterr().err == f"error: the command {name} was removed\n  hint: {COMMANDS[name]}\n"


def test_what_is_there_was_not_removed() -> None:
    names = plugins.names("codeopt.commands")
    there = commands_of(build_parser({name: plugins.load("codeopt.commands", name) for name in names}))
    options = {option for parser in there.values() for action in parser._actions for option in action.option_strings}
    assert not COMMANDS.keys() & there.keys()
    assert not {f"--{key}" for key in OPTIONS} & options
