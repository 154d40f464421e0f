"""Flags of a command, made from the table of options; and the values that they make."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from codeopt.cli.command_flags import flags_of
from codeopt.core import flag as converters
from codeopt.core.errors import UsageError
from codeopt.core.flag import BadValue, Flag, FlagKind, text
from codeopt.core.options import ImproveOptions, options_table
from codeopt.core.program import Target, as_module, as_target

T = TypeVar("T")


def flag_type(convert: Callable[[str], T]) -> Callable[[str], T]:
    """A converter whose message argparse shows."""

    def typed(text: str) -> T:
        try:
            return convert(text)
        except BadValue as error:  # others are argparse's to explain
            raise argparse.ArgumentTypeError(str(error)) from error

    typed.__name__ = convert.__name__
    return typed


count = flag_type(converters.count)


class EachGiven(argparse.Action):
    """Keeps each value that is given; the first takes the place of those of a setting."""

    def __call__(
        self, _: argparse.ArgumentParser, found: argparse.Namespace, value: Any, __: str | None = None
    ) -> None:
        before = getattr(found, self.dest)
        setattr(found, self.dest, [value] if before is self.default else [*before, value])


def add_flags(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the flags of a command that the table has, each below its heading."""
    for flag in flags_of(command):
        if flag.has_flag:
            add_flag(group_of(parser, flag.group), flag)


def settings_parser(command: str) -> argparse.ArgumentParser:
    """A parser that no words reach: it converts the settings of a command that have no flag."""
    parser = argparse.ArgumentParser(add_help=False)
    for flag in flags_of(command):
        if not flag.has_flag:
            add_flag(parser, flag)
    return parser


def add_flag(group: argparse._ActionsContainer, flag: Flag) -> None:
    """Add a flag with its help, which ends with the default."""
    words = flag.default_in_words.replace("%", "%%")
    said = flag.help.replace("%", "%%") + (f" [default: {words}]" if words else "")
    settings = _settings(flag) | ({"required": True} if flag.required else {})
    group.add_argument(*filter(None, (flag.short, flag.long)), dest=flag.name, **settings, help=said)


def _settings(flag: Flag) -> dict[str, Any]:
    """Keywords of add_argument that say which values a flag takes."""
    if flag.kind is FlagKind.SWITCH:
        return {"action": "store_true"}
    found: dict[str, Any] = {"metavar": flag.metavar, "default": flag.default}
    if flag.kind is FlagKind.PAIR:
        return {**found, "nargs": 2}
    convert = flag.item or flag.convert
    if convert is not text:
        found["type"] = convert if isinstance(convert, type) else flag_type(convert)
    if flag.choices:
        found["choices"] = list(flag.choices)
    return {**found, "action": EachGiven, "default": None} if flag.kind is FlagKind.LIST else found


def group_of(parser: argparse.ArgumentParser, title: str) -> argparse._ActionsContainer:
    """The group with a heading, which is made if it is not there; the parser itself for none."""
    if not title:
        return parser
    there = (group for group in parser._action_groups if group.title == title)
    return next(there, None) or parser.add_argument_group(title)


def options_of(arguments: argparse.Namespace, **instead: Any) -> ImproveOptions:
    """The options that the flags of a command ask for; `instead` goes before them. Raises UsageError."""
    given = {name: value for name, value in vars(arguments).items() if name in options_table()}
    return ImproveOptions.of({**given, **instead})


def target_of(arguments: argparse.Namespace) -> Target:
    """The one target. Raises UsageError."""
    if arguments.target is not None and arguments.module is not None:
        hint = "to name a model: --model NAME" if hasattr(arguments, "model") else ""
        raise UsageError("give TARGET or -m MODULE, not both", hint=hint)
    if arguments.target is not None:
        return as_target(arguments.target)
    if arguments.module is not None:
        return as_module(arguments.module, Path())
    if getattr(arguments, "run", None) is not None:
        return as_target(".")
    raise UsageError("TARGET is missing", hint="name a file, FILE::FUNCTION, or -m MODULE")
