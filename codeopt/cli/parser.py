"""The parser of a command: its help, the list of commands, and what a removed or wrong name may have meant."""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

from codeopt.core import plugins
from codeopt.core.errors import UsageError
from codeopt.core.plugins import install_command
from codeopt.core.screen import COLUMNS
from codeopt.core.version import __version__


class HelpText(argparse.HelpFormatter):
    """Help of at most 80 columns, with the value of an option once: `-n, --max-rounds N`."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=25, width=min(COLUMNS, shutil.get_terminal_size().columns))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


class HelpAll(argparse.Action):
    """Prints the help with every option."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        assert isinstance(parser, CommandParser)
        parser._print_message(parser.format_flags(everything=True), sys.stdout)
        parser.exit()


class CommandParser(argparse.ArgumentParser):
    """A parser whose errors are UsageErrors. Argparse's own prints the whole usage text and exits."""

    first: tuple[str, ...] = ()
    """Options that a beginner needs; the help has them before the others."""
    often: tuple[str, ...] = ()
    """Options that --help shows after those; without any it shows all, and there is no --help-all."""
    examples: tuple[str, ...] = ()
    takes_arguments = False
    """Words after `--` are for the user's program."""

    def show_often(self, flags: tuple[str, ...]) -> None:
        """Let --help show only `first` and these flags, and let --help-all show the rest also."""
        self.often = flags
        if flags:
            self.add_argument("--help-all", action=HelpAll, nargs=0, help="show all options")

    def error(self, message: str) -> NoReturn:
        said = message.removeprefix("argument ")
        said = said.replace("the following arguments are required:", "missing arguments:")
        raise UsageError(said, hint=f"{self.prog} --help lists the options")

    def refuse_unknown(self, unknown: list[str]) -> NoReturn:
        """Raise UsageError for words that no flag and no argument takes."""
        from codeopt.cli.command_flags import settings_without_flag
        from codeopt.core.flag import variable

        flags = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        wrong = next((each.partition("=")[0] for each in unknown if each.startswith("-")), "")
        if (key := wrong.removeprefix("--")) in settings_without_flag():
            hint = f"{variable(key)}=VALUE sets it, or {key} = VALUE in [tool.codeopt]"
            raise UsageError(f"{key} has no option", hint=hint)
        if hint := meant(wrong, flags):
            raise UsageError(f"unknown option {wrong}", hint=hint)
        self.error(f"unknown option {wrong}" if wrong else f"unknown argument {unknown[0]}")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a help or a message. Raises OSError, which argparse itself drops."""
        stream = file or sys.stderr
        if message and stream is not None:
            stream.write(message)
            stream.flush()

    def format_help(self) -> str:
        """Arguments, the options that are used most, examples."""
        return self.format_flags(everything=False)

    def format_flags(self, *, everything: bool) -> str:
        """Arguments, options and examples. everything: not only the options that people use."""
        formatter = HelpText(self.prog)
        names = [_named(action) for action in self._actions if not action.option_strings]
        names += ["[-- ARGS ...]"] if self.takes_arguments else []
        formatter.add_usage(" ".join([self.prog, "[OPTIONS]", *names]), [], [], "Usage: ")
        formatter.add_text(self.description)
        # Headings, each with its options or arguments; all of a command that has few.
        first = self._named_by(self.first)
        often = self._named_by((*self.often, "--help", "--help-all"))
        listed = self._actions if everything or not self.often else often
        arguments, options, *groups = self._action_groups
        headed = [*((each.title, each) for each in groups), ("More" if first else "Options", options)]
        for title, actions in [
            ("Arguments", arguments._group_actions),
            ("Options", first),
            *(
                (title, [action for action in group._group_actions if action in listed and action not in first])
                for title, group in headed
            ),
        ]:
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        shown = textwrap.indent("\n".join(self.examples), "  ")
        return formatter.format_help() + (f"\nExamples:\n{shown}\n" if shown else "")

    def _named_by(self, flags: Iterable[str]) -> list[argparse.Action]:
        return [action for flag in flags for action in self._actions if flag in action.option_strings]

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        if action.type is Path and "" in arg_strings:  # it would be the current folder
            raise argparse.ArgumentError(action, "the path is empty")
        return super()._get_values(action, arg_strings)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        known = [str(each) for each in action.choices or ()]
        if action.choices is None or value in action.choices:
            return
        hint = meant(str(value), known)
        if isinstance(action, argparse._SubParsersAction):
            raise UsageError(f"unknown command {value!r}", hint=hint or f"{self.prog} --help lists the commands")
        name = "/".join(action.option_strings) or action.dest
        raise UsageError(f"{name}: {value!r} is not one of {', '.join(known)}", hint=hint)


def commands_of(root: argparse.ArgumentParser) -> dict[str, Any]:
    (choices,) = (action for action in root._actions if isinstance(action, argparse._SubParsersAction))
    return dict(choices.choices)


def meant(given: str, known: Iterable[str]) -> str:
    """`did you mean --max-rounds?`; empty where nothing is near."""
    near = difflib.get_close_matches(given, list(known), 1)
    return f"did you mean {near[0]}?" if near else ""


def _named(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    many = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ...", "A...": f"{name} ..."}
    return many.get(str(action.nargs), name)


# Commands and options of earlier versions, each with what to use instead.

COMMANDS: Mapping[str, str] = {
    "completion": "use codeopt --print-completion SHELL",
    "diff": "use codeopt show --diff",
    "findings": "codeopt check and review show earlier verdicts that hold",
    "rules": "use codeopt improve --list-rules, with --select NAME to explain one",
    "sandbox": "codeopt doctor shows it; python -m codeopt_sandbox.conformance tests its guarantees",
    "schema": "schema.json of the documents' site has it",
    "tasks": "use codeopt improve --list-tasks; docs/extend/writing-a-task.md has one to copy",
}
OPTIONS: Mapping[str, str] = {
    **dict.fromkeys(("backend", "mode", "processes"), COMMANDS["sandbox"]),
    "all": COMMANDS["findings"],
    "explain": COMMANDS["rules"],
    "text": COMMANDS["tasks"],
    "reporter": "use codeopt review --output-format rdjson | reviewdog -f=rdjson -reporter=github-pr-review",
    "candidates": "a second change of one round brought no gain: use --max-rounds",
    "ahead": "a batch has one worker for each core: use --cores",
    "chains": "the search best-of has two chains",
    "context": "put the statement into statement.txt next to the program or its cases",
    "allow-commands": "codeopt record FILE::FUNCTION -- COMMAND records calls",
    "dry-run": "what cannot work is refused before anything runs; -v shows who writes the changes, Python and sandbox",
    "history": "a model sees all rounds that fit",
    "judge-model": "the first of --model compares readability",
    "max-tokens": "use --max-cost, --max-rounds or --max-seconds",
    "model-timeout": "the model's server may be silent for 300 s",
    "no-memory": "use --no-cache",
    "patience": "use --max-rounds; a chain ends after 2 rounds without a gain, the search evolve after 6",
    "seed": "the order within pairs is drawn with 0; --input-seed is that of generated inputs",
    "seconds": "codeopt doctor makes one comparison of identical code",
}
"""By the long name without dashes, which is the key in a file of settings also."""


def refuse_removed(parser: argparse.ArgumentParser, given: Sequence[str]) -> None:
    """Raise UsageError if the words of a command line name a command or an option that was removed."""
    there = commands_of(parser)
    command, *words = given
    if command in COMMANDS and command not in there:
        raise UsageError(f"the command {command} was removed", hint=COMMANDS[command])
    actions = there[command]._actions if command in there else []
    known = {option for action in actions for option in action.option_strings}
    for word in words:
        name = word.partition("=")[0]
        if name.startswith("--") and name not in known:
            refuse_key(name.removeprefix("--"), name)


def refuse_key(key: str, shown: str) -> None:
    """Raise UsageError if a key was removed. shown: how the user wrote it, such as CODEOPT_KEY."""
    if key in OPTIONS:
        raise UsageError(f"{shown} was removed", hint=OPTIONS[key])


# The list of codeopt's own commands, shown without loading one of them.

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
        "clean": "Empty the cache of a project, and remove copies of its files.",
    },
    "Continuous integration": {
        "review": "Suggest faster code for the functions that a change touches.",
        "check": "List slow functions that the built-in rules can make faster.",
        "init": "Write the configuration for GitHub, GitLab or pre-commit.",
    },
    "Sets of programs": {
        "batch": "Improve a set of programs.",
        "report": "Show the results of a batch.",
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
    own = all(entry.value.startswith("codeopt.") for entry in entries)
    return own and SUMMARIES.keys() == set(plugins.names("codeopt.commands"))
