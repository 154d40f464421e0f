"""The parser of a command: a short usage line, what is used most first, examples, what a wrong name may have meant."""

from __future__ import annotations

import argparse
import difflib
import textwrap
from collections.abc import Iterable
from typing import Any, NoReturn

from codeopt.core.errors import UsageError


class Misused(UsageError):
    """Arguments that the command cannot take; the message begins with the command's name."""


class CommandParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the whole usage text before it."""

    first: tuple[str, ...] = ()
    """Flags that a beginner needs; the help has them before the others."""
    examples: tuple[str, ...] = ()

    def error(self, message: str) -> NoReturn:
        """Raises Misused."""
        raise Misused(f"{self.prog}: {message} (see {self.prog} --help)")

    def refuse_unknown(self, unknown: list[str]) -> NoReturn:
        """What no flag and no argument takes. Raises Misused."""
        flags = [option for action in self._actions for option in action.option_strings if option.startswith("--")]
        wrong = next((each for each in unknown if each.startswith("-")), "")
        self.error(f"unrecognized arguments: {' '.join(unknown)}{meant(wrong.partition('=')[0], flags)}")

    def format_help(self) -> str:
        """Arguments, the flags that are used most, all others, examples."""
        formatter = self._get_formatter()
        names = [_named(action) for action in self._actions if not action.option_strings]
        formatter.add_usage(" ".join([self.prog, "[FLAGS]", *names]), [], [])
        formatter.add_text(self.description)
        most = [action for flag in self.first for action in self._actions if flag in action.option_strings]
        sections: list[tuple[str | None, list[argparse.Action]]] = [
            (group.title, [action for action in group._group_actions if action not in most])
            for group in self._action_groups
        ]
        sections.insert(1, ("used most", most))
        for title, actions in sections:
            formatter.start_section("other flags" if title == "options" and most else title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        shown = textwrap.indent("\n".join(self.examples), "  ")
        return formatter.format_help() + (f"\nexamples:\n{shown}\n" if shown else "")

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
