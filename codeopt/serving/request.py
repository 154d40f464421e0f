"""One request of a client, as it is handed to the process that does it."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from codeopt.cli import flags
from codeopt.core.errors import UsageError
from codeopt.core.plugins import install_command


class Operation(StrEnum):
    """A kind of work that a client may ask for."""

    PROFILE = "profile"
    COMPARE = "compare"
    IMPROVE = "improve"
    CHECK = "check"


@dataclass(frozen=True)
class OperationRequest:
    """One operation with its arguments; all paths are below the current folder."""

    operation: Operation
    target: str = ""
    """FILE or FILE::FUNCTION. Empty for `check`."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Fields of ImproveOptions."""
    old_source: str | None = None
    """Text of the old file. None: the file as it is if `new_source` is given, else its text in `base`."""
    new_source: str | None = None
    """Text of the new file. None: the file as it is."""
    base: str = "HEAD"
    """Commit of git that holds the old text."""
    paths: tuple[str, ...] = ()
    """Files and folders that `check` looks at. Empty: the current folder."""
    max_functions: int = 10
    """Functions that `check` judges at most."""
    min_share: float = 0.05
    """Smallest share of the tests' time, 0 to 1, with which `check` tries a function."""
    max_seconds: float = 900.0
    """Time limit of `check` and `improve`, seconds."""
    limit: float | None = None
    """Largest allowed increase of time that `compare` tests, as a share. None: it asks about none."""
    write: bool = False
    """Put what `improve` accepted in place."""
    asked_by: str = "mcp"
    """Name of the server, as findings keep it."""

    def to_line(self) -> bytes:
        """Write the request as one line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> OperationRequest:
        """Read the line that `to_line` wrote."""
        given = json.loads(line)
        return cls(**{**given, "paths": tuple(given["paths"]), "operation": Operation(given["operation"])})


@dataclass(frozen=True)
class ServerPolicy:
    """Permissions that the user who started the server gives its clients."""

    options: Mapping[str, Any]
    """Fields of ImproveOptions that hold for every request: sandbox, python, memory, ..."""
    model: str | None = None
    """Model that drafts if a client asks for one. None: no client may."""


# The folder that a client may name paths in: a path that leads out of it, also by a symbolic link, is refused.

MAX_TREE_FILES = 20_000
"""Most files and folders in a folder that a client names."""


@dataclass(frozen=True)
class Root:
    """A workspace, its path resolved."""

    path: Path

    @classmethod
    def of(cls, path: Path) -> Root:
        """Make the root of a folder. Raises UsageError where it does not exist, or is the whole machine."""
        if not path.is_dir():
            raise UsageError(f"--root {path} is not a directory")
        found = path.resolve()
        if found == Path(found.anchor):
            raise UsageError(f"--root {path} is everything on this machine", hint="name the project's own folder")
        return cls(found)

    def inside(self, given: str) -> str:
        """Resolve a path, relative to the root and without links. Raises UsageError where it leads out."""
        if "\0" in given:
            raise UsageError("a path holds a null character")
        try:
            found = (self.path / given).resolve()
        except (OSError, RuntimeError) as error:  # a link that leads to itself, a name that is too long
            raise UsageError(f"{given[:200]}: that is no path: {error}") from error
        if not found.is_relative_to(self.path):
            raise UsageError(f"{given[:200]} leads out of {self.path}, the root of this server")
        return found.relative_to(self.path).as_posix()

    def tree(self, given: str) -> str:
        """Resolve a folder that is read whole, links followed. Raises UsageError where one of them leads out."""
        found = self.inside(given)
        below = os.walk(self.path / found)  # which follows no links
        paths = (Path(here, name) for here, folders, files in below for name in (*folders, *files))
        for number, path in enumerate(paths):
            if number > MAX_TREE_FILES:
                raise UsageError(f"{given[:200]} holds more than {MAX_TREE_FILES} files", hint="name a smaller folder")
            if path.is_symlink():
                self.inside(str(path))
        return found

    def target(self, given: str) -> str:
        """Resolve a folder, FILE, or FILE::FUNCTION, and check the cases of a program. Raises UsageError."""
        path, mark, name = given.partition("::")
        found = self.inside(path)
        if not name and not (self.path / found).is_dir():
            folder = (self.path / found).parent
            # files next to a program that are read as its cases
            for pattern in ("input*", "output*", "*.in", "*.out", "*.args", "generate.py"):
                for beside in folder.glob(pattern):
                    self.inside(str(beside))
            if (folder / "cases").is_dir():
                self.tree(str(folder / "cases"))
        return f"{found}{mark}{name}"

    def arguments(self, given: Iterable[str]) -> tuple[str, ...]:
        """Check the arguments of a program, since a file that one names is copied. Raises UsageError."""
        found = tuple(given)
        for word in found:
            for part in {word, word.partition("=")[2]} - {""}:
                if "\0" not in part and os.path.lexists(self.path / part):
                    self.inside(part)  # of a folder links are left out, see codeopt.core.run_inputs
        return found


# Flags that `codeopt mcp` and `codeopt lsp` share: the user sets all limits by flags, never by settings.

FIELDS = ("sandbox", "image", "runtime", "python", "timeout", "memory", "base_url", "max_cost")
"""Fields of ImproveOptions that hold for every request."""


def require_extra(command: str, module: str) -> None:
    """Require the command's extra, which has the command's name. Raises UsageError where it is not installed."""
    if find_spec(module) is None:
        raise UsageError(f"codeopt {command} needs an extra", hint=install_command(command))


def add_policy_arguments(parser: argparse.ArgumentParser, command: str) -> argparse._ActionsContainer:
    """Add the flags that say what clients may do; returns their group."""
    flags.add_flags(parser, command)
    return flags.group_of(parser, "What clients may do")


def policy_of(arguments: argparse.Namespace) -> ServerPolicy:
    """The policy that the flags ask for, checked before the first request. Raises UsageError."""

    flags.options_of(arguments, run_dir=Path())
    options = {name: getattr(arguments, name) for name in FIELDS if getattr(arguments, name) is not None}
    if arguments.python and os.sep in arguments.python:
        options["python"] = str(Path(arguments.python).expanduser().absolute())  # workers run below the root
    return ServerPolicy(options, arguments.model)
