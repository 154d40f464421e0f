"""The parser of a command: a short usage line, what is used most first, examples, what a wrong name may have meant."""

from __future__ import annotations

import argparse
import difflib
import sys
import textwrap
from collections.abc import Iterable
from typing import Any, NoReturn

from codeopt.core.errors import UsageError


class Misused(UsageError):
    """Arguments that the command cannot take; the message begins with the command's name."""


class HelpAll(argparse.Action):
    """Prints the help with every flag."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and exit."""
        assert isinstance(parser, CommandParser)
        parser._print_message(parser.format_flags(everything=True), sys.stdout)
        parser.exit()


class CommandParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the whole usage text before it."""

    first: tuple[str, ...] = ()
    """Flags that a beginner needs; the help has them before the others."""
    often: tuple[str, ...] = ()
    """Flags that --help shows after those; without any it shows all, and there is no --help-all."""
    examples: tuple[str, ...] = ()

    def show_often(self, flags: tuple[str, ...]) -> None:
        """Let --help show only `first` and these flags, and --help-all the rest, too."""
        self.often = flags
        if flags:
            self.add_argument("--help-all", action=HelpAll, nargs=0, help="show all flags and exit")

    def error(self, message: str) -> NoReturn:
        """Raises Misused."""
        raise Misused(f"{self.prog}: {message} (see {self.prog} --help)")

    def refuse_unknown(self, unknown: list[str]) -> NoReturn:
        """Raise Misused for words that no flag and no argument takes."""
        flags = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        wrong = next((each for each in unknown if each.startswith("-")), "")
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant(wrong.partition('=')[0], flags)}")

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print a help or a message. Raises OSError, which argparse itself drops."""
        stream = file or sys.stderr
        if message and stream is not None:
            stream.write(message)
            stream.flush()

    def format_help(self) -> str:
        """Arguments, the flags that are used most, examples."""
        return self.format_flags(everything=False)

    def format_flags(self, *, everything: bool) -> str:
        """Arguments, flags and examples. everything: not only the flags that people use, each below its heading."""
        formatter = self._get_formatter()
        names = [_named(action) for action in self._actions if not action.option_strings]
        formatter.add_usage(" ".join([self.prog, "[FLAGS]", *names]), [], [])
        formatter.add_text(self.description)
        for title, actions in self._sections(everything):
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        shown = textwrap.indent("\n".join(self.examples), "  ")
        return formatter.format_help() + (f"\nexamples:\n{shown}\n" if shown else "")

    def _sections(self, everything: bool) -> list[tuple[str | None, list[argparse.Action]]]:
        """Headings, each with its flags or arguments; all of a command that has few."""
        first = self._named_by(self.first)
        everything = everything or not self.often
        shown = [action for action in self._actions if everything or not action.option_strings]
        shown += [] if everything else [*self._named_by(("--help", "--help-all")), *self._named_by(self.often)]
        found: list[tuple[str | None, list[argparse.Action]]] = [
            (group.title, [action for action in group._group_actions if action in shown and action not in first])
            for group in self._action_groups
        ]
        if not everything:
            found = [found[0], ("options", [action for _, actions in found[1:] for action in actions])]
        found.insert(1, ("used most", first))
        return [("other flags" if title == "options" and first else title, actions) for title, actions in found]

    def _named_by(self, flags: Iterable[str]) -> list[argparse.Action]:
        return [action for flag in flags for action in self._actions if flag in action.option_strings]

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            hint = meant(str(value), map(str, action.choices or ()))
            raise argparse.ArgumentError(action, error.message + hint) from error


def meant(given: str, known: Iterable[str]) -> str:
    """`; did you mean '--max-rounds'?`; empty where nothing is near."""
    near = difflib.get_close_matches(given, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _named(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    many = {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ...", "A...": f"{name} ..."}
    return many.get(str(action.nargs), name)
