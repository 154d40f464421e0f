"""Sources of a flag's value: the command line, CODEOPT_<FLAG>, [tool.codeopt] in pyproject.toml, the default."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeopt.cli.command_flags import settings_by_key
from codeopt.cli.flags import EachGiven
from codeopt.cli.parser import HelpAll, meant
from codeopt.core.errors import UsageError
from codeopt.core.flag import PREFIX, SettableBy, variable
from codeopt.core.interpreter import SettingsPython

TABLES = ("prices", "sandbox-options")
"""Keys of [tool.codeopt] that are no flags."""
OTHERS = ("CODEOPT_GITLAB_TOKEN", "CODEOPT_HOSTILE", "CODEOPT_REQUIRE_DOCKER")
"""Variables that are no settings: a reporter's, and those of this project's own tests."""
SECRETS = ("_KEY", "_TOKEN")
"""Ends of the names of a user's own variables, which --api-key-env and others name."""


def require_known(environment: Mapping[str, str], known: set[str]) -> None:
    """A variable that no flag has is a mistake, as an unknown key is. Raises UsageError."""
    settings = {variable(flag) for flag in known}
    for name in environment:
        if name.startswith(PREFIX) and name not in settings and name not in OTHERS and not name.endswith(SECRETS):
            raise UsageError(f"no flag has the environment variable {name}{meant(name, settings)}")


def apply(parser: argparse.ArgumentParser, table: Mapping[str, Any], path: Path | None, known: set[str]) -> None:
    """Make settings and environment variables the defaults of `parser`. Raises UsageError for an unknown key.

    known: every flag of every command, so that a key of another command is no mistake. A path in the file starts at
    the file's folder.
    """
    for key in table:
        if key not in known and key not in TABLES:
            raise UsageError(f"{path}: [tool.codeopt] has no key {key!r}{meant(key, known)}")
    for action in parser._actions:
        flag = flag_of(action)
        if not flag:
            continue
        name = variable(flag)
        if name in os.environ:
            parser.set_defaults(**{action.dest: _value(action, os.environ[name], name)})
        elif flag in table:
            value = _value(action, table[flag], f"{path}: {flag}")
            if path and isinstance(value, list):
                value = [path.parent / each if isinstance(each, Path) else each for each in value]
            if path and isinstance(value, Path):
                value = path.parent / value
                _require_inside(path, flag, value)
            parser.set_defaults(**{action.dest: _of_project(path, flag, value) if path else value})


class RefusedSetting(str):
    """A value in a project's file that only a flag or a variable may give."""

    why: str

    @classmethod
    def of(cls, text: str, why: str) -> RefusedSetting:
        """The value as it stands there, and the line that refuses it."""
        made = cls(text)
        made.why = why
        return made


class RefusedNames(tuple[str, ...]):
    """A list in a project's file that only a flag or a variable may give; argparse leaves a tuple as it is."""

    why: str

    @classmethod
    def of(cls, values: tuple[str, ...], why: str) -> RefusedNames:
        """The values as they stand there, and the line that refuses them."""
        made = cls(values)
        made.why = why
        return made


def require_own_word(arguments: argparse.Namespace, *names: str) -> None:
    """Raise UsageError for a setting of a project's file that would run code without isolation, or choose which secret
    is sent to a server, unless a flag or a variable took its place.

    names: the settings that are looked at; without any, all of them.
    """
    given = vars(arguments)
    for name in names or given:
        value = given[name]
        if isinstance(value, RefusedSetting | RefusedNames):
            raise UsageError(value.why)


def _of_project(path: Path, flag: str, value: Any) -> Any:
    """The value, or that it is refused: the file may have been downloaded with the project."""
    setting = settings_by_key().get(flag)
    text = ",".join(value) if isinstance(value, tuple) else str(value)
    harm = _harm(setting, text)
    if harm:
        name = variable(flag)
        line = f"{path}: {flag} = {text!r} {harm}, which a project's file cannot decide; give --{flag} or {name}"
        return RefusedNames.of(value, line) if isinstance(value, tuple) else RefusedSetting.of(text, line)
    return SettingsPython(value) if setting is SettableBy.PYTHON else value


def _harm(setting: SettableBy | None, text: str) -> str:
    """Why only a flag or a variable may give a value; empty where a project's file may, too."""
    module = text.endswith(".py") or (":" in text and not text.startswith("replay:"))
    if setting is SettableBy.SECRET:
        return "names a secret of yours"
    if setting is SettableBy.SANDBOX and text == "process":
        return "runs code without isolation"
    dotted = setting in (SettableBy.PLUG_IN, SettableBy.RULES) and "." in text
    if dotted or (setting in (SettableBy.PLUG_IN, SettableBy.MODEL) and module):
        return "names code that runs without isolation"
    return ""


def _require_inside(path: Path, flag: str, value: Path) -> None:
    """Raise UsageError for a file to write that a project's own settings place outside of the project: who downloads
    it may not be led elsewhere."""
    if settings_by_key().get(flag) is not SettableBy.WRITTEN:
        return
    place = value.resolve()
    if not place.is_relative_to(path.parent.resolve()) or ".git" in map(str.lower, place.parts):
        raise UsageError(f"{path}: {flag} = {value} is outside of the project; give --{flag} or {variable(flag)}")


def flag_of(action: argparse.Action) -> str:
    """The long name of an option without its dashes; empty for arguments and for what is given each time."""
    longs = [option[2:] for option in action.option_strings if option.startswith("--")]
    if not longs or isinstance(action, argparse._HelpAction | HelpAll):
        return ""
    return "" if settings_by_key().get(longs[0]) is SettableBy.EACH_TIME else longs[0]


def _value(action: argparse.Action, value: Any, where: str) -> Any:
    if action.nargs == 0:
        if value in (True, False, "1", "0", "true", "false", ""):
            return value in (True, "1", "true")
        raise UsageError(f"{where}: must be true or false, not {value!r}")
    parts = value if isinstance(value, list) else str(value).split(",")
    if isinstance(action, EachGiven):
        return [_one(action, part, where) for part in parts]
    return _one(action, ",".join(map(str, parts)), where)


def _one(action: argparse.Action, value: str, where: str) -> Any:
    if action.choices is not None and str(value) not in action.choices:
        raise UsageError(f"{where}: {value!r} is none of {', '.join(map(str, action.choices))}")
    if callable(action.type):
        try:
            return action.type(str(value))
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise UsageError(f"{where}: {error}") from error
    return str(value)
