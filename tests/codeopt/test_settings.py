"""Where a flag's value comes from: the command line, the environment, pyproject.toml, the default; in this order."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from codeopt.cli.commands import batch, improve
from codeopt.cli.main import build_parser
from codeopt.cli.settings import require_own_word
from codeopt.core.errors import UsageError

FILE = """
[tool.codeopt]
max-rounds = 3
select = ["main_function", "stdin_readline"]
no-profile = true
cases = "data/cases"
clock = "wall"
timeout = 2.5
[tool.codeopt.prices."m"]
input = 1
output = 2
"""


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory lies below the one that has the file."""
    (tmp_path / "pyproject.toml").write_text(FILE)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "er")


def parse(*arguments: str) -> argparse.Namespace:
    return build_parser({"improve": improve}).parse_args(["improve", "slow.py", *arguments])


def test_the_file_above_gives_defaults(tmp_path: Path) -> None:
    found = parse()
    assert (found.max_rounds, found.clock, found.timeout) == (3, "wall", 2.5)
    assert found.select == ("main_function", "stdin_readline")
    assert found.no_profile is True
    assert found.cases == tmp_path / "data" / "cases"


def test_the_environment_goes_before_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEOPT_MAX_ROUNDS", "5")
    monkeypatch.setenv("CODEOPT_NO_PROFILE", "0")
    monkeypatch.setenv("CODEOPT_CASES", "here")
    assert (parse().max_rounds, parse().no_profile, parse().cases) == (5, False, Path("here"))


def test_the_command_line_goes_before_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEOPT_MAX_ROUNDS", "5")
    assert parse("-n", "7").max_rounds == 7


def test_what_is_asked_for_each_time_cannot_be_set(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.codeopt]\nwrite = true\n")
    with pytest.raises(UsageError, match=r"has no key 'write'"):
        parse()


@pytest.mark.parametrize("text", ["", "[tool]\ncodeopt = 3\n", "[project]\nname = 'x'\n"])
def test_a_file_without_settings_is_fine(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert parse().max_rounds is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("max-rounds = 0", "max-rounds: 0 is not a whole number above zero"),
        ("clock = 'sun'", "clock: 'sun' is none of auto, cpu, wall"),
        ("no-profile = 'maybe'", "no-profile: must be true or false, not 'maybe'"),
        ("modle = 'x'", "has no key 'modle'; did you mean 'model'?"),
    ],
)
def test_a_wrong_line_is_named(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    with pytest.raises(UsageError) as caught:
        parse()
    assert str(caught.value).startswith(f"{tmp_path / 'pyproject.toml'}: ")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('sandbox = "process"', ("--sandbox", "process")),
        ('task = "tools/mine.py"', ("--task", "runtime")),
        ('task = "my_package.task"', ("--task", "runtime")),
        ('search = "my_package.search"', ("--search", "chain")),
        ('workload = "my_package.kind"', ("--workload", "program")),
        ('model = "my_package:factory"', ("--model", "rules")),
        ('model = "scripted:drafts.json"', ("--model", "rules")),
        ('select = "counter,my_package.rule"', ("--select", "counter")),
        ('ignore = ["my_package.rule"]', ("--ignore", "counter")),
        ('api-key-env = "AWS_SECRET_ACCESS_KEY"', ("--api-key-env", "MY_KEY")),
    ],
)
def test_a_downloaded_project_runs_nothing_and_sends_no_secret(
    line: str, instead: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    with pytest.raises(UsageError, match=f"which a project's file cannot decide; give {instead[0]} or CODEOPT_"):
        require_own_word(parse())
    require_own_word(parse(*instead))


def test_a_downloaded_project_chooses_no_module_that_reads_a_set(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.codeopt]\nlayout = "my_package.layout"\n')
    given = ["batch", "problems", "--run-dir", "out"]
    with pytest.raises(UsageError, match=r"names code that runs without isolation.*give --layout or CODEOPT_LAYOUT"):
        require_own_word(build_parser({"batch": batch}).parse_args(given))
    require_own_word(build_parser({"batch": batch}).parse_args([*given, "--layout", "folders"]))


@pytest.mark.parametrize(
    "line",
    [
        'model = "gpt-4.1"',
        'model = "replay:talk.jsonl"',
        'sandbox = "docker"',
        'task = "memory"',
        'select = "counter"',
        'ignore = ["ruff:C419", "slots"]',
    ],
)
def test_a_project_may_choose_what_harms_nobody(line: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    require_own_word(parse())
