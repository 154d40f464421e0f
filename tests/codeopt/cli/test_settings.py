"""Where a flag's value comes from: the command line, the environment, pyproject.toml, the default; in this order."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from codeopt.cli.command import command_of
from codeopt.cli.command_flags import flags_of, settings_by_key
from codeopt.cli.commands import batch, improve
from codeopt.cli.main import build_parser
from codeopt.cli.parser import commands_of
from codeopt.cli.settings import flag_of, require_own_word
from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.flag import SettableBy
from tests.codeopt.command import codeopt
from tests.support.files import git

FILE = """
[tool.codeopt]
max-rounds = 3
select = ["main_function", "stdin_readline"]
no-profile = true
cases = "data/cases"
metric = "wall"
timeout = 2.5
"""


@pytest.fixture(autouse=True)
def _in_a_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory lies below the one that has the file."""
    (tmp_path / "pyproject.toml").write_text(FILE)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    monkeypatch.chdir(tmp_path / "deep" / "er")


def parse(*arguments: str) -> argparse.Namespace:
    return build_parser({"improve": improve}).parse_args(["improve", "slow.py", *arguments])


def test_the_file_above_gives_defaults(tmp_path: Path) -> None:
    found = parse()
    assert (found.max_rounds, found.metric, found.timeout) == (3, "wall", 2.5)
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
        ("metric = 'sun'", "metric: 'sun' is not one of auto, cpu, wall"),
        ("no-profile = 'maybe'", "no-profile: must be true or false, not 'maybe'"),
        ("modle = 'x'", "has no key 'modle' (did you mean model?)"),
    ],
)
def test_a_wrong_line_is_named(line: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    with pytest.raises(UsageError) as caught:
        parse()
    assert str(caught.value).startswith(f"{tmp_path / 'pyproject.toml'}: ")
    assert said in caught.value.words


@pytest.mark.parametrize(
    ("line", "instead"),
    [
        ('sandbox = "process"', ("--sandbox", "process")),
        ('task = "tools/mine.py"', ("--task", "runtime")),
        ('task = "my_package.task"', ("--task", "runtime")),
        ('model = "my_package:factory"', ("--model", "rules")),
        ('model = "scripted:drafts.json"', ("--model", "rules")),
        ('select = "counter,my_package.rule"', ("--select", "counter")),
        ('ignore = ["my_package.rule"]', ("--ignore", "counter")),
        ('api-key-env = "AWS_SECRET_ACCESS_KEY"', ("--api-key-env", "MY_KEY")),
        ('base-url = "http://127.0.0.1:9/v1"', ("--base-url", "http://127.0.0.1:8/v1")),
        ('env = ["PLAIN=1", "GITHUB_TOKEN"]', ("--env", "PLAIN=1")),
        ('env = "GITHUB_TOKEN"', ("--env", "PLAIN=1")),
        ('stdin = "/etc/passwd"', ("--stdin", "mine.txt")),
        ('cases = "../../.ssh"', ("--cases", "mine")),
        ('with = ["data.csv", "/etc"]', ("--with", "mine")),
        ('calls = "../calls.py"', ("--calls", "mine.py")),
        ('tests = [".env"]', ("--tests", "mine")),
        ('stdin = "deep/.ssh/config"', ("--stdin", "mine.txt")),
        ('stdin = "link"', ("--stdin", "mine.txt")),
    ],
)
def test_a_downloaded_project_runs_nothing_and_sends_no_secret(
    line: str, instead: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    (tmp_path / "link").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match=f"which a project's file cannot decide\nhint: give {instead[0]} or CODEOPT_"):
        require_own_word(parse())
    require_own_word(parse(*instead))


@pytest.mark.parametrize("line", ['search = "my.search"', 'workload = "my.kind"', 'runtime = "runc"'])
def test_a_downloaded_project_chooses_no_module_by_a_setting_without_a_flag(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The variable is the user's own word."""
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    name = f"CODEOPT_{line.partition(' ')[0].replace('-', '_').upper()}"
    with pytest.raises(UsageError, match=f"which a project's file cannot decide\nhint: give {name}"):
        require_own_word(parse())
    monkeypatch.setenv(name, "mine.own")
    require_own_word(parse())


def test_a_setting_without_a_flag_is_read_and_its_flag_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (parse().search, parse().context_tokens) == ("chain", 128_000)
    (tmp_path / "pyproject.toml").write_text("[tool.codeopt]\nsearch = 'evolve'\ncontext-tokens = 3000\n")
    assert (parse().search, parse().context_tokens) == ("evolve", 3000)
    monkeypatch.setenv("CODEOPT_CONTEXT_TOKENS", "4000")
    assert parse().context_tokens == 4000
    done = codeopt("improve", "slow.py", "--context-tokens", "4000", cwd=tmp_path)
    assert (done.status, "CODEOPT_CONTEXT_TOKENS=VALUE" in done.err) == (2, True)
    monkeypatch.setenv("CODEOPT_CONTEXT_TOKENS", "0")
    with pytest.raises(UsageError, match="CODEOPT_CONTEXT_TOKENS: 0 is not a whole number above zero"):
        parse()


def test_a_downloaded_project_chooses_no_module_that_reads_a_set(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.codeopt]\nlayout = "my_package.layout"\n')
    given = ["batch", "problems", "--run-dir", "out"]
    with pytest.raises(
        UsageError, match=r"names code that runs without isolation.*\nhint: give --layout or CODEOPT_LAYOUT"
    ):
        require_own_word(build_parser({"batch": batch}).parse_args(given))
    require_own_word(build_parser({"batch": batch}).parse_args([*given, "--layout", "folders"]))


@pytest.mark.parametrize(
    "line",
    [
        'model = "gpt-4.1"',
        'model = "replay:talk.jsonl"',
        'env = ["PYTHONHASHSEED=0", "MODE=fast=er"]',
        'stdin = "data.txt"',
        'sandbox = "docker"',
        'task = "memory"',
        'select = "counter"',
        'ignore = ["ruff:C419", "seen_set"]',
    ],
)
def test_a_project_may_choose_what_harms_nobody(line: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{line}\n")
    require_own_word(parse())


ALL_COMMANDS = {name: plugins.load("codeopt.commands", name) for name in plugins.names("codeopt.commands")}
EXAMPLES = {
    SettableBy.USER: "x",
    SettableBy.VARIABLES: "GITHUB_TOKEN",
    SettableBy.READ: "/etc/passwd",
    SettableBy.WRITTEN: "/etc/passwd",
    SettableBy.PLUG_IN: "my_package.mod",
    SettableBy.RULES: "my_package.mod",
    SettableBy.MODEL: "my_package:mod",
    SettableBy.SANDBOX: "process",
}
"""Kind of setting -> a value that a project's file may not give."""
MAY = {SettableBy.PROJECT, SettableBy.OF_A_CHANGE, SettableBy.EACH_TIME}
"""Kinds of which a project's file may give each value, or none at all, or where the value is looked at later."""


def options_of_commands() -> list[tuple[str, str]]:
    """Each command with each of its settings, those without a flag included."""
    parsers = commands_of(build_parser(ALL_COMMANDS)).items()
    found = {(name, flag) for name, parser in parsers for action in parser._actions if (flag := flag_of(action))}
    return sorted(found | {(name, each.key) for name in ALL_COMMANDS for each in flags_of(name) if not each.has_flag})


def test_each_setting_says_who_may_give_it() -> None:
    assert {flag for _, flag in options_of_commands()} <= set(settings_by_key())
    assert set(SettableBy) == MAY | set(EXAMPLES)
    assert {settings_by_key()[name] for name in ("base-url", "api-key-env", "runtime", "cluster", "source")} == {
        SettableBy.USER
    }


@pytest.mark.parametrize(
    "key", sorted({flag for _, flag in options_of_commands() if settings_by_key()[flag] not in MAY})
)
def test_no_command_takes_from_a_project_what_is_the_users_to_say(key: str, tmp_path: Path) -> None:
    value = {"cluster": "ray:evil", "force": True}.get(key, EXAMPLES[settings_by_key()[key]])
    (tmp_path / "pyproject.toml").write_text(f"[tool.codeopt]\n{key} = {json.dumps(value)}\n")
    parsers = commands_of(build_parser(ALL_COMMANDS))
    for command, flag in options_of_commands():
        if flag == key and not command_of(ALL_COMMANDS[command]).flags_only:
            parser = parsers[command]
            dest = next((each.dest for each in parser._actions if flag_of(each) == key), key.replace("-", "_"))
            with pytest.raises(UsageError, match=rf"pyproject.toml: {key} = .* which a project's file cannot decide"):
                require_own_word(argparse.Namespace(**{dest: parser.get_default(dest)}))


def test_the_users_own_file_gives_what_a_project_may_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    (home / "codeopt").mkdir(parents=True)
    own = home / "codeopt" / "config.toml"
    own.write_text('base-url = "http://mine"\nenv = ["TOKEN"]\nmax-rounds = 9\nruntime = "runsc"\ncontext-tokens = 7\n')
    (tmp_path / "pyproject.toml").write_text('[tool.codeopt]\nbase-url = "http://evil"\nmax-rounds = 3\n')
    found = parse()
    require_own_word(found)
    assert (found.base_url, found.env, found.max_rounds) == ("http://mine", ["TOKEN"], 3)
    assert (found.runtime, found.context_tokens) == ("runsc", 7)
    monkeypatch.setenv("CODEOPT_BASE_URL", "http://now")
    assert (parse().base_url, parse("--base-url", "http://here").base_url) == ("http://now", "http://here")
    own.write_text("modle = 'x'\n")
    with pytest.raises(UsageError, match=r"config.toml: has no key 'modle'\nhint: did you mean model"):
        parse()


def test_a_file_of_the_users_that_came_with_the_project_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home of the user is the project's folder, as in some containers."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    (tmp_path / ".config" / "codeopt").mkdir(parents=True)
    (tmp_path / ".config" / "codeopt" / "config.toml").write_text('base-url = "http://evil"\n')
    git(tmp_path, "init", "-q")
    assert parse().base_url == "http://evil"
    git(tmp_path, "add", "-A")
    with pytest.raises(UsageError, match="is not yours: git tracks it"):
        parse()
