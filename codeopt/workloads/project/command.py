"""A user's own command as it runs in a sandbox: in the root of a copy of the project, by the user's interpreter."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from codeopt.core.errors import UsageError
from codeopt.workloads.function.recording import as_the_user_runs_it
from codeopt_sandbox.guest.request import USUAL, Environment
from codeopt_sandbox.plain_files import read_text

SHELL = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"})
_PYTHON = re.compile(r"python(3(\.\d+)?)?")
_VARIABLE = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
WATCH = ".codeopt-watch"
"""Folder in a run's copy of the project for a profiler and its output."""

DRIVER = """\
import os, sys
here = os.getcwd()
paths = [os.path.normpath(os.path.join(here, path)) for path in {paths!r}]
env = {{**os.environ, **{variables!r}}}
env["PYTHONPATH"] = os.pathsep.join([*paths, *filter(None, [env.get("PYTHONPATH")])])
os.execve(sys.executable, [sys.executable, *{words!r}], env)
"""
"""Replaces its process by the command."""
TOOL = "import sys; sys.argv[0] = {name!r}; exec(compile({text!r}, {name!r}, 'exec'))"
_TOOL = re.compile(r"import sys; sys\.argv\[0\] = '([^']+)'")


class EntryKind(StrEnum):
    """Form in which Python gets the program."""

    SCRIPT = "script"  # a file, or a folder with a `__main__.py`
    MODULE = "module"  # -m
    CODE = "code"  # -c
    TOOL = "tool"  # a script of an environment, such as pytest's
    NOTHING = "nothing"


@dataclass(frozen=True)
class CommandEntry:
    kind: EntryKind
    name: str = ""
    """Path, module, code or name of the tool."""
    arguments: int = 0
    """The number of words before the program's own arguments."""


@dataclass(frozen=True)
class ProjectCommand:
    """Command line and environment of `python`."""

    text: str
    """The command in the user's words."""
    words: tuple[str, ...]
    """Words after `python`."""
    variables: tuple[tuple[str, str], ...] = ()
    """Environment variables in front of the command."""

    def program(self, paths: Sequence[str], environment: Environment = USUAL, watched: bool = False) -> str:
        """Source of what a sandbox runs. watched: the profiler in WATCH is loaded in each interpreter."""
        first = [WATCH] if watched else []
        variables = {"PYTHONHASHSEED": str(environment.hash_seed), **environment.process_variables()}
        return DRIVER.format(
            paths=[*first, *paths], variables={**variables, **dict(self.variables)}, words=list(self.words)
        )

    @property
    def entry(self) -> CommandEntry:
        """Entry point, behind Python's own flags."""
        at = 0
        while at < len(self.words) and self.words[at].startswith("-") and self.words[at] != "-":
            word = self.words[at]
            if not word.startswith("--") and (flag := re.search("[mc]", word)) and word[:2] not in ("-W", "-X"):
                joined = word[flag.end() :]
                name = joined or (self.words[at + 1] if at + 1 < len(self.words) else "")
                first = at + (1 if joined else 2)
                if flag[0] == "m":
                    return CommandEntry(EntryKind.MODULE, name, first)
                tool = _TOOL.match(name)
                kind = EntryKind.TOOL if tool else EntryKind.CODE
                return CommandEntry(kind, tool[1] if tool else name, first)
            # flags of Python's whose value is the next word
            at += 2 if word in {"-W", "-X", "--check-hash-based-pycs"} else 1
        if at == len(self.words):
            return CommandEntry(EntryKind.NOTHING, arguments=at)
        return CommandEntry(EntryKind.SCRIPT, posixpath.normpath(self.words[at]), at + 1)

    @property
    def script(self) -> str:
        """The file that the command names as its program, relative; empty where it names a module or a tool."""
        return self.entry.name if self.entry.kind is EntryKind.SCRIPT else ""

    @property
    def arguments(self) -> tuple[str, ...]:
        return self.words[self.entry.arguments :]

    @property
    def line(self) -> tuple[str, ...]:
        """All of it as words: `NAME=VALUE` for each variable, then what follows `python`."""
        return (*(f"{name}={value}" for name, value in self.variables), *self.words)

    def given(self, line: Sequence[str]) -> ProjectCommand:
        """Return the command with another line, which has as many variables."""
        count = len(self.variables)
        named = (word.partition("=") for word in line[:count])
        return replace(self, words=tuple(line[count:]), variables=tuple((name, value) for name, _, value in named))


def read_command(text: str, root: Path, python: str | None = None) -> ProjectCommand:
    """Parse a command that runs Python.

    Raises:
        UsageError: The text is not a command of Python.
    """
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--run: {error} in {text}") from error
    variables = []
    while words and (found := _VARIABLE.fullmatch(words[0])):
        variables.append((found[1], found[2]))
        words.pop(0)
    if not words:
        raise UsageError("--run is empty", hint='give a command, such as --run "python bench.py"')
    if shell := next((word for word in words if word in SHELL), ""):
        raise UsageError(f"--run: {shell} needs a shell, which is not started", hint="put it in a script and run that")
    arguments = [_inside(word, root) for word in words[1:]]
    return ProjectCommand(text, (*_by_python(words[0], root, python), *arguments), tuple(variables))


def _inside(word: str, root: Path) -> str:
    """A path of the project as a run finds it."""
    name, sign, value = word.rpartition("=")
    below = f"{root}/"
    return f"{name}{sign}{value.removeprefix(below)}" if value.startswith(below) else word


def _by_python(name: str, root: Path, python: str | None) -> list[str]:
    """Return the words with which Python runs a program; no words for Python itself. Raises UsageError."""
    if _PYTHON.fullmatch(Path(name).name):
        return []
    if name.endswith(".py") and (root / name).is_file():
        return [Path(_inside(name, root)).as_posix()]
    path = Path(as_the_user_runs_it([name], root, python)[0])
    try:
        text = read_text(path)
    except (OSError, ValueError):
        text = ""
    if not text.startswith("#!") or "python" not in text[:400]:
        raise UsageError(f"--run: {name} is no Python program", hint="give what it runs, such as python -m MODULE")
    return ["-c", TOOL.format(name=path.name, text=text)]
