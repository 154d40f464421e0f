"""The parser of a command: its help, and what a wrong name may have meant."""

from __future__ import annotations

import argparse
import difflib
import shutil
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, NoReturn

from codeopt.core.errors import UsageError
from codeopt.core.screen import COLUMNS


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
        message = message.removeprefix("argument ").replace(
            "the following arguments are required:", "missing arguments:"
        )
        raise UsageError(message, hint=f"{self.prog} --help lists the options")

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
        for title, actions in self._sections(everything):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        shown = textwrap.indent("\n".join(self.examples), "  ")
        return formatter.format_help() + (f"\nExamples:\n{shown}\n" if shown else "")

    def _sections(self, everything: bool) -> list[tuple[str | None, list[argparse.Action]]]:
        """Headings, each with its options or arguments; all of a command that has few."""
        first = self._named_by(self.first)
        shown = self._actions if everything or not self.often else self._named_by((*self.often, "--help", "--help-all"))
        arguments, options, *groups = self._action_groups
        headed = [*((each.title, each) for each in groups), ("More" if first else "Options", options)]
        return [
            ("Arguments", arguments._group_actions),
            ("Options", first),
            *(
                (title, [action for action in group._group_actions if action in shown and action not in first])
                for title, group in headed
            ),
        ]

    def _named_by(self, flags: Iterable[str]) -> list[argparse.Action]:
        return [action for flag in flags for action in self._actions if flag in action.option_strings]

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
