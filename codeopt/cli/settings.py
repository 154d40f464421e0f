"""Where a flag's value comes from: the command line, CODEOPT_<FLAG>, [tool.codeopt] in pyproject.toml, the default."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from codeopt.cli.parser import meant
from codeopt.core.errors import UsageError
from codeopt.core.interpreter import SettingsPython

PREFIX = "CODEOPT_"
TABLES = ("prices", "sandbox-options")
"""Keys of [tool.codeopt] that are no flags."""

EACH_TIME = ("help", "write", "output", "resume", "json", "base", "diff", "run")
"""Flags that are no settings. What `run` names is run unprotected: a project that was downloaded must not choose it."""


KEYS = ("api-key-env",)
"""Flags that name a secret of the user's: a project may choose the server, so it must not choose what is sent there."""
MODELS = ("model", "judge-model")
PLUG_INS = ("task", "search", "workload", *MODELS)
"""Flags whose value may be a module or a file, which is run unprotected."""
WRITTEN = ("run-dir", "record", "html", "csv", "export")
"""Flags of what is written."""

OTHERS = ("CODEOPT_GITLAB_TOKEN", "CODEOPT_HOSTILE", "CODEOPT_REQUIRE_DOCKER")
"""Variables that are no settings: a reporter's, and those of this project's own tests."""
SECRETS = ("_KEY", "_TOKEN")
"""What variables of your own end with, which --api-key-env and others name."""


def require_known(environment: Mapping[str, str], known: set[str]) -> None:
    """A variable that no flag has is a mistake, as an unknown key is. Raises UsageError."""
    settings = {_variable(flag) for flag in known}
    for name in environment:
        if name.startswith(PREFIX) and name not in settings and name not in OTHERS and not name.endswith(SECRETS):
            raise UsageError(f"no flag has the environment variable {name}{meant(name, settings)}")


def _variable(flag: str) -> str:
    return PREFIX + flag.upper().replace("-", "_")


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
        variable = _variable(flag)
        if variable in os.environ:
            parser.set_defaults(**{action.dest: _value(action, os.environ[variable], variable)})
        elif flag in table:
            value = _value(action, table[flag], f"{path}: {flag}")
            if path and isinstance(value, Path):
                value = path.parent / value
                _require_inside(path, flag, value)
            value = _of_project(path, flag, value) if path else value
            parser.set_defaults(**{action.dest: SettingsPython(value) if flag == "python" else value})


class RefusedSetting(str):
    """A value in a project's file that only a flag or a variable may give."""

    why: str

    @classmethod
    def of(cls, text: str, why: str) -> RefusedSetting:
        """The value as it stands there, and the line that refuses it."""
        made = cls(text)
        made.why = why
        return made


def require_own_word(arguments: argparse.Namespace) -> None:
    """Raise UsageError for a setting of a project's file that would run code without isolation, or choose which secret
    is sent to a server, unless a flag or a variable took its place."""
    for value in vars(arguments).values():
        if isinstance(value, RefusedSetting):
            raise UsageError(value.why)


def _of_project(path: Path, flag: str, value: Any) -> Any:
    """The value, or a RefusedSetting: the file may have been downloaded with the project."""
    text = str(value)
    module = text.endswith(".py") or (":" in text and not text.startswith("replay:"))
    if flag in KEYS:
        harm = "names a secret of yours"
    elif flag == "sandbox" and text == "process":
        harm = "runs code without isolation"
    elif flag in PLUG_INS and (module or ("." in text and flag not in MODELS)):
        harm = "names code that runs without isolation"
    else:
        return value
    line = f"{path}: {flag} = {text!r} {harm}, which a project's file cannot decide; give --{flag} or {_variable(flag)}"
    return RefusedSetting.of(text, line)


def _require_inside(path: Path, flag: str, value: Path) -> None:
    """What is written by a project's own settings lies in the project: who downloads it may not be led elsewhere.
    Raises UsageError."""
    place = value.resolve()
    if flag in WRITTEN and (not place.is_relative_to(path.parent.resolve()) or ".git" in map(str.lower, place.parts)):
        raise UsageError(f"{path}: {flag} = {value} is outside of the project; give --{flag} or {_variable(flag)}")


def flag_of(action: argparse.Action) -> str:
    """The long name of an option without its dashes; empty for arguments and for what is asked for each time."""
    longs = [option[2:] for option in action.option_strings if option.startswith("--")]
    return longs[0] if longs and longs[0] not in EACH_TIME else ""


def _value(action: argparse.Action, value: Any, where: str) -> Any:
    if action.nargs == 0:
        if value in (True, False, "1", "0", "true", "false", ""):
            return value in (True, "1", "true")
        raise UsageError(f"{where}: must be true or false, not {value!r}")
    if isinstance(value, list):
        value = ",".join(map(str, value))
    if action.choices is not None and str(value) not in action.choices:
        raise UsageError(f"{where}: {value!r} is none of {', '.join(map(str, action.choices))}")
    if callable(action.type):
        try:
            return action.type(str(value))
        except (ValueError, argparse.ArgumentTypeError) as error:
            raise UsageError(f"{where}: {error}") from error
    return str(value)
