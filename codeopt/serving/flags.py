"""Flags that `codeopt mcp` and `codeopt lsp` share: the user sets all limits by flags, never by settings."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.core.errors import UsageError
from codeopt.core.extras import install_command

if TYPE_CHECKING:
    from codeopt.serving.request import ServerPolicy

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
    from codeopt.serving.request import ServerPolicy

    flags.options_of(arguments, run_dir=Path())
    options = {name: getattr(arguments, name) for name in FIELDS if getattr(arguments, name) is not None}
    if arguments.python and os.sep in arguments.python:
        options["python"] = str(Path(arguments.python).expanduser().absolute())  # workers run below the root
    return ServerPolicy(options, arguments.model, getattr(arguments, "allow_commands", False))
