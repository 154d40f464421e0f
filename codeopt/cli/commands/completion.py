"""Print what makes a shell complete commands, flags and their values.

With tasks, rules, runs or models in place of a shell's name: the values that the scripts ask for, one a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from codeopt.cli.command import command
from codeopt.core.errors import UsageError

SHELLS = ("bash", "zsh", "fish", "tcsh")
RUNS = Path(".codeopt")
COMPLETED = {"task": "tasks", "select": "rules", "ignore": "rules", "model": "models", "judge_model": "models"}
"""Kind of value by flag."""
OF_A_RUN = ("show", "diff", "apply")
"""Commands whose argument is a saved run."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The flags."""
    parser.add_argument("shell", choices=(*SHELLS, *VALUES), metavar="SHELL", help=", ".join(SHELLS))


@command(
    10,
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
        raise UsageError("codeopt completion needs the extra: pip install 'codeopt[completion]'") from error
    _complete_values(arguments.root, lambda kind: shtab.cmd(f"codeopt completion {kind} 2>/dev/null"))
    print(shtab.complete(arguments.root, shell=arguments.shell))
    return 0


def _complete_values(root: argparse.ArgumentParser, ask: Callable[[str], Any]) -> None:
    """Tell each flag and argument whose values are known by what to ask for them."""
    (choices,) = (each for each in root._actions if isinstance(each, argparse._SubParsersAction))
    parsers: Mapping[str, argparse.ArgumentParser] = choices.choices
    for name, parser in parsers.items():
        for action in parser._actions:
            kind = COMPLETED.get(action.dest, "")
            if action.dest == "resume" or (name in OF_A_RUN and action.dest == "run" and not action.option_strings):
                kind = "runs"
            if kind and action.nargs != 0:
                vars(action)["complete"] = ask(kind)


def _tasks() -> Iterable[str]:
    from codeopt.core import plugins

    return plugins.names("codeopt.tasks")


def _rules() -> Iterable[str]:
    from codeopt.core import plugins

    return plugins.names("codeopt.rules")


def _runs() -> Iterable[str]:
    from codeopt.core.run_index import list_runs
    from codeopt.core.sanitize import printable

    names = (run.path.name for run in list_runs(RUNS))
    return ["last", *(name for name in names if name == printable(name) and name.split() == [name])]


def _models() -> Iterable[str]:
    """The rules, models with a price in the settings, and those of saved runs."""
    from codeopt.core.run_index import list_runs
    from codeopt.core.settings import read_settings

    priced = read_settings(Path.cwd())[0].get("prices", {})
    used = [str(run.result.get("model", "")) for run in list_runs(RUNS)]
    found = dict.fromkeys(["rules", *(priced if isinstance(priced, dict) else ()), *used])
    return [name for name in found if name and set(name) <= PLAIN]


PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-:/")
"""Characters of a model's name that no shell acts on."""
VALUES: Mapping[str, Callable[[], Iterable[str]]] = {
    "tasks": _tasks, "rules": _rules, "runs": _runs, "models": _models,
}  # fmt: skip
"""Values by kind."""
