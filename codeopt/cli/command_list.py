"""The list of codeopt's own commands, shown without loading one of them."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from itertools import chain
from typing import Any, NoReturn

from codeopt.cli.parser import CommandParser, commands_of
from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.extras import install_command
from codeopt.core.version import __version__

DESCRIPTION = """\
Make Python code faster. Each change is run in a sandbox, checked and timed
before you see it."""
NAME_COLUMNS = 10
"""Width of the longest name of a command, columns."""
EXAMPLES = (
    "codeopt improve slow.py                 a script, by rules: no key needed",
    "codeopt improve pkg/mod.py::func        a function, checked by its tests",
    'codeopt profile --run "python app.py"   where a command spends its time',
)
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Make code faster": {
        "improve": "Find a faster version of a script, a function or a project.",
        "compare": "Compare two versions: same results? Which is faster?",
        "profile": "Show where the time goes.",
        "record": "Record real calls of a function.",
    },
    "Results": {
        "apply": "Apply the result of a run.",
        "undo": "Undo the last apply or --write.",
        "show": "Show a run: each change that was tried, its verdict, the cost.",
        "runs": "List the runs, newest first.",
        "clean": "Empty the cache of a project.",
    },
    "Continuous integration": {
        "review": "Suggest faster code for the functions that a change touches.",
        "check": "List slow functions that the built-in rules can make faster.",
        "init": "Write the configuration for GitHub, GitLab or pre-commit.",
    },
    "Sets of programs": {
        "batch": "Improve a set of programs.",
        "report": "Show the results of a batch or a run.",
        "import": "Convert a public data set into a set for batch.",
        "refine": "Refine a text with a model.",
    },
    "Servers": {
        "mcp": "Serve coding agents (Model Context Protocol).",
        "lsp": "Serve editors (Language Server Protocol).",
    },
    "More": {
        "doctor": "Check this machine.",
    },
}
"""Commands that codeopt itself brings, in the order of the help, and the first line of each one's docstring."""
SUMMARIES = {name: line for group in GROUPS.values() for name, line in group.items()}


SHELLS = ("bash", "zsh", "fish", "tcsh")
FILES = ("FILE", "PATH", "OUT", "SET", "PROGRAM", "PROJECT", "INPUT", "TARGET", "FILE::FUNCTION", "DIR")
"""Placeholders of flags and arguments that are files or folders."""


class PrintCompletion(argparse.Action):
    """Prints the completion script of a shell; `fish`, `zsh` and the others complete commands, flags and files."""

    def __call__(self, parser: argparse.ArgumentParser, _: object, shell: Any, __: str | None = None) -> NoReturn:
        try:
            import shtab
        except ImportError as error:
            raise UsageError("--print-completion needs an extra", hint=install_command("completion")) from error
        for command in commands_of(parser).values():
            for action in command._actions:
                if action.metavar in FILES:
                    action.complete = shtab.FILE
        print(shtab.complete(parser, shell))
        parser.exit()


class TopParser(CommandParser):
    """The parser of `codeopt`, whose help has the commands by group."""

    def format_help(self) -> str:
        """The commands with their summaries, those of plug-ins last."""
        (choices,) = (action for action in self._actions if isinstance(action, argparse._SubParsersAction))
        others = {each.dest: each.help or "" for each in choices._choices_actions if each.dest not in SUMMARIES}
        groups = {**GROUPS, **({"Other commands": others} if others else {})}
        return "\n".join(
            [
                *(self.description or "").splitlines(), "", f"Usage: {self.prog} COMMAND [OPTIONS] [TARGET]",
                *chain.from_iterable(["", title, *_rows(commands)] for title, commands in groups.items()),
                "", "Start here", *(f"  {line}" for line in self.examples),
                "", "codeopt COMMAND --help lists the options of a command.", "",
            ]
        )  # fmt: skip


def _rows(commands: Mapping[str, str]) -> list[str]:
    return [f"  {name:<{NAME_COLUMNS}}  {line.removesuffix('.')}" for name, line in commands.items()]


def top_parser() -> TopParser:
    """The parser of `codeopt` without its commands."""
    parser = TopParser("codeopt", description=DESCRIPTION, allow_abbrev=False)
    parser.examples = EXAMPLES
    parser.add_argument("--version", action="version", version=f"codeopt {__version__}")
    parser.add_argument("--print-completion", action=PrintCompletion, choices=SHELLS, metavar="SHELL")
    return parser


def list_of_commands() -> str:
    """The help of `codeopt`, of its own commands alone."""
    parser = top_parser()
    parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    return parser.format_help()


def no_others() -> bool:
    """Return whether all commands are codeopt's own. Others' descriptions need loading."""
    entries = plugins.installed("codeopt.commands")
    return SUMMARIES.keys() == set(plugins.names("codeopt.commands")) and all(
        entry.value.startswith("codeopt.") for entry in entries
    )
