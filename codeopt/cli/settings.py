"""Sources of a flag's value.

In order: the command line, CODEOPT_<FLAG>, [tool.codeopt] in pyproject.toml, the user's own config.toml, the default.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeopt.cli.command_flags import settings_by_key, settings_without_flag
from codeopt.cli.flags import EachGiven
from codeopt.cli.parser import HelpAll, meant, refuse_key
from codeopt.core.errors import UsageError
from codeopt.core.flag import PREFIX, SettableBy, user_file, variable
from codeopt.core.ownership import top_of
from codeopt.core.run_inputs import is_secret

PRICES = "prices"
"""Key that is no flag. Only the user's own file may have it: a price of 0 would make a limit of cost useless."""
OTHERS = ("CODEOPT_HOSTILE", "CODEOPT_REQUIRE_DOCKER")
"""Variables of this project's own tests, which are no settings."""
SECRETS = ("_KEY", "_TOKEN")
"""Ends of the names of a user's own variables, which --api-key-env and others name."""


def require_known(environment: Mapping[str, str], known: set[str]) -> None:
    """A variable that no flag has is a mistake, as an unknown key is. Raises UsageError."""
    settings = {variable(flag) for flag in known}
    for name in environment:
        if name.startswith(PREFIX) and name not in settings and name not in OTHERS and not name.endswith(SECRETS):
            refuse_key(name.removeprefix(PREFIX).lower().replace("_", "-"), name)
            raise UsageError(f"no option has the environment variable {name}", hint=meant(name, settings))


def apply(parser: argparse.ArgumentParser, project: SettingsFile, users: SettingsFile, known: set[str]) -> None:
    """Make settings and environment variables the defaults of `parser`. Raises UsageError for an unknown key.

    known: every flag of every command, so that a key of another command is no mistake. A path in a file starts at the
    file's folder.
    """
    for file in (project, users):
        file.require_known(known)
    for action in parser._actions:
        flag = flag_of(action)
        if not flag:
            continue
        name = variable(flag)
        if name in os.environ:
            parser.set_defaults(**{action.dest: _value(action, os.environ[name], name)})
            continue
        found = [users.value(action, flag)] if flag in users.table else []
        if flag in project.table and project.path:
            value = _of_project(project.path, flag, project.value(action, flag))
            if not (found and isinstance(value, RefusedSetting | RefusedNames)):
                found = [value]
        if found:
            parser.set_defaults(**{action.dest: found[0]})


@dataclass(frozen=True)
class SettingsFile:
    """A pyproject.toml or config.toml as it was read, or none."""

    table: Mapping[str, Any]
    path: Path | None = None

    def require_known(self, known: set[str]) -> None:
        """Raise UsageError for a key that no flag has."""
        for key in self.table:
            if key == PRICES and self.path != user_file():
                own = f"write [prices] in {user_file()}" if user_file() else ""
                raise UsageError(f"{self.path}: a project's file cannot decide prices", hint=own)
            if key not in known and key != PRICES:
                refuse_key(key, f"{self.path}: {self._title}key {key}")
                raise UsageError(f"{self.path}: {self._title}has no key {key!r}", hint=meant(key, known))

    def value(self, action: argparse.Action, flag: str) -> Any:
        """The value of a flag. Raises UsageError."""
        value = _value(action, self.table[flag], f"{self.path}: {flag}")
        folder = self.path.parent if self.path else Path()
        if isinstance(value, list):
            return [folder / each if isinstance(each, Path) else each for each in value]
        return folder / value if isinstance(value, Path) else value

    @property
    def _title(self) -> str:
        return "[tool.codeopt] " if self.path and self.path.name == "pyproject.toml" else ""


class RefusedSetting(str):
    """A value in a project's file that only a flag or a variable may give, with the error that rejects it."""

    error: UsageError


class RefusedNames(tuple[str, ...]):
    """A list in a project's file that only a flag or a variable may give; argparse leaves a tuple as it is."""

    error: UsageError


class NeverTaken(RefusedNames):
    """A value in a project's file that no command takes, as it would send, read or write the user's own data."""


def set_aside(arguments: argparse.Namespace) -> UsageError | None:
    """Put None in the place of each value that no command takes; returns the error that rejects the first."""
    refused = {name: value for name, value in vars(arguments).items() if isinstance(value, NeverTaken)}
    for name in refused:
        setattr(arguments, name, None)
    return next((value.error for value in refused.values()), None)


def require_own_word(arguments: argparse.Namespace, *names: str) -> None:
    """Raise UsageError for an unsafe setting of a project's file, unless a flag or a variable replaced it.

    Unsafe settings would run code without isolation, or choose the secret that is sent to a server. names: the settings
    to check, all of them if none is given.
    """
    given = vars(arguments)
    for name in names or given:
        value = given.get(name)
        if isinstance(value, RefusedSetting | RefusedNames):
            raise value.error


def _of_project(path: Path, flag: str, value: Any) -> Any:
    """The value, or that it is refused: the file may have been downloaded with the project."""
    setting = settings_by_key()[flag]
    values = value if isinstance(value, list | tuple) else [value]
    if harm := next(filter(None, (_harm(setting, each, path) for each in values)), ""):
        text, name = ",".join(map(str, values)), variable(flag)
        option = "" if flag in settings_without_flag() else f"--{flag} or "
        own = f", or a line of {user_file()}" if user_file() else ""
        refused: RefusedSetting | RefusedNames = RefusedSetting(text)
        if setting in (SettableBy.USER, SettableBy.VARIABLES, SettableBy.READ, SettableBy.WRITTEN):
            refused = NeverTaken(map(str, values))
        elif isinstance(value, list | tuple):
            refused = RefusedNames(map(str, values))
        words = f"{path}: {flag} = {text!r} {harm}, which a project's file cannot decide"
        refused.error = UsageError(words, hint=f"give {option}{name}{own}")
        return refused
    return value


def _harm(setting: SettableBy, value: Any, path: Path) -> str:
    """Return the reason why only the user may give a value. Empty if a project's file may give it also."""
    text = str(value)
    if setting in (SettableBy.WRITTEN, SettableBy.READ) and isinstance(value, Path):
        # Return why a project's own settings may not name a path, since they may have been downloaded. What is
        # read may lie in the work tree around the project.
        top, place = path.parent.resolve(), Path(os.path.realpath(value))
        top = top_of(top) if setting is SettableBy.READ else top
        if not place.is_relative_to(top) or ".git" in map(str.lower, place.parts):
            return "is outside of the project"
        return "may hold a secret of yours" if setting is SettableBy.READ and is_secret(place.relative_to(top)) else ""
    if setting is SettableBy.USER:
        return "may name a server or a secret of yours, or run code that you did not choose"
    if setting is SettableBy.VARIABLES and "=" not in text:
        return "passes a variable of yours on"
    if setting is SettableBy.SANDBOX and text == "process":
        return "runs code without isolation"
    module = text.endswith(".py") or (":" in text and not text.startswith("replay:"))
    dotted = setting in (SettableBy.PLUG_IN, SettableBy.RULES) and "." in text
    if dotted or (setting in (SettableBy.PLUG_IN, SettableBy.MODEL) and module):
        return "names code that runs without isolation"
    return ""


def flag_of(action: argparse.Action) -> str:
    """Return the long name of an option without its dashes. Empty for arguments and for what is given each time."""
    longs = [option[2:] for option in action.option_strings if option.startswith("--")]
    if not longs or isinstance(action, argparse._HelpAction | HelpAll):
        return ""
    return "" if settings_by_key().get(longs[0]) is SettableBy.EACH_TIME else longs[0]


def _value(action: argparse.Action, value: Any, where: str) -> Any:
    if action.nargs == 0:
        if value in (True, False, "1", "0", "true", "false", ""):
            return value in (True, "1", "true")
        raise UsageError(f"{where}: must be true or false, not {value!r}")
    if action.type is None and not isinstance(value, str | list):
        raise UsageError(f"{where}: must be a text, not {value!r}", hint=f'write it in quotes: "{value}"')
    parts = value if isinstance(value, list) else str(value).split(",")
    if isinstance(action, EachGiven):
        return [_one(action, part, where) for part in parts]
    return _one(action, ",".join(map(str, parts)), where)


def _one(action: argparse.Action, value: str, where: str) -> Any:
    if action.choices is not None and str(value) not in action.choices:
        raise UsageError(f"{where}: {value!r} is not one of {', '.join(map(str, action.choices))}")
    if callable(action.type):
        try:
            return action.type(str(value))
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise UsageError(f"{where}: {error}") from error
    return str(value)
