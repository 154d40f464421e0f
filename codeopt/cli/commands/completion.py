"""Print the completion script of a shell.

With tasks, rules, runs, models, searches, reporters or layouts in place of a shell's name: the values that the scripts
ask for, one a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from codeopt.cli.command import command
from codeopt.cli.parser import commands_of
from codeopt.core.errors import UsageError
from codeopt.core.extras import install_command

SHELLS = ("bash", "zsh", "fish", "tcsh")
RUNS = Path(".codeopt")
COMPLETED = {
    "task": "tasks", "select": "rules", "ignore": "rules", "model": "models", "resume": "runs",
    "output_format": "reporters", "layout": "layouts",
}  # fmt: skip
ARGUMENTS = {("show", "run"): "runs", ("diff", "run"): "runs", ("apply", "run"): "runs", ("rules", "name"): "rules"}
"""Kind of value by command and argument."""
FOLDERS = ("DIR",)
"""Placeholders of flags and arguments that are folders."""
FILES = ("FILE", "PATH", "OUT", "SET", "PROGRAM", "PROJECT", "INPUT", "TARGET", "FILE::FUNCTION")
"""Placeholders of those that are files, or folders as well."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=(*SHELLS, *VALUES), metavar="SHELL", help=", ".join(SHELLS))


@command(
    examples=(
        "codeopt completion bash > ~/.local/share/bash-completion/completions/codeopt",
        "codeopt completion zsh > ~/.zfunc/_codeopt",
        "codeopt completion fish > ~/.config/fish/completions/codeopt.fish",
    ),
    needs_all=True,
)
def run(arguments: argparse.Namespace) -> int:
    """The script, or the values. Raises UsageError where the extra is not installed."""
    if arguments.shell in VALUES:
        for value in VALUES[arguments.shell]():
            print(value)
        return 0
    try:
        import shtab
    except ImportError as error:
        raise UsageError("codeopt completion needs an extra", hint=install_command("completion")) from error

    def values_of(action: argparse.Action, kind: str) -> Any:
        if kind:
            return shtab.cmd(f"codeopt completion {kind} 2>/dev/null")
        return shtab.DIRECTORY if action.metavar in FOLDERS else shtab.FILE if action.metavar in FILES else None

    _complete_values(arguments.root, values_of)
    print(shtab.complete(arguments.root, shell=arguments.shell))
    return 0


def _complete_values(root: argparse.ArgumentParser, values_of: Callable[[argparse.Action, str], Any]) -> None:
    """Tell each flag and argument whose values are known how to complete them."""
    for name, parser in commands_of(root).items():
        for action in parser._actions:
            kind = ARGUMENTS.get((name, action.dest)) or COMPLETED.get(action.dest, "")
            if action.nargs != 0 and not action.choices and (found := values_of(action, kind)):
                vars(action)["complete"] = found


def _plug_ins(group: str) -> Iterable[str]:
    from codeopt.core import plugins

    return plugins.names(group)


def _runs() -> Iterable[str]:
    from codeopt.core.run_index import list_runs
    from codeopt.core.sanitize import printable

    names = (run.path.name for run in list_runs(RUNS))
    return ["last", *(name for name in names if name == printable(name) and name.split() == [name])]


def _models() -> Iterable[str]:
    """The rules, models with a price in the settings, and those of saved runs."""
    from codeopt.core.run_index import list_runs
    from codeopt.core.settings import read_user_settings

    priced = read_user_settings()[0].get("prices", {})
    used = [str(run.result.get("model", "")) for run in list_runs(RUNS)]
    found = dict.fromkeys(["rules", *(priced if isinstance(priced, dict) else ()), *used])
    return [name for name in found if name and set(name) <= PLAIN]


PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/")
"""Characters of a model's name that no shell acts on."""
VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "tasks": partial(_plug_ins, "codeopt.tasks"),
    "rules": partial(_plug_ins, "codeopt.rules"),
    "runs": _runs,
    "models": _models,
    "reporters": partial(_plug_ins, "codeopt.reporters"),
    "layouts": partial(_plug_ins, "codeopt.datasets"),
}
