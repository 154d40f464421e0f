"""What `codeopt mcp` and `codeopt lsp` share: what the user allows, by flags alone."""

from __future__ import annotations

import argparse
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from codeopt.cli import flags
from codeopt.core.errors import UsageError

if TYPE_CHECKING:
    from codeopt.serving.request import Permissions

FIELDS = ("sandbox", "image", "runtime", "python", "timeout", "memory", "base_url", "max_cost")
"""Of ImproveOptions, that hold for every request."""


def require_extra(command: str, module: str) -> None:
    """Raise UsageError where the command's extra, which has the command's name, is not installed."""
    if find_spec(module) is None:
        raise UsageError(f"codeopt {command} needs the extra: pip install codeopt[{command}]")


def add_permission_arguments(parser: argparse.ArgumentParser, command: str) -> argparse._ActionsContainer:
    """What clients may do; the group."""
    flags.add_flags(parser, command)
    return flags.group_of(parser, "what clients may do")


def permissions_of(arguments: argparse.Namespace) -> Permissions:
    """What the flags allow. Raises UsageError for what makes no sense, before anybody asks for anything."""
    from codeopt.serving.request import Permissions

    flags.options_of(arguments, run_dir=Path())
    options = {name: getattr(arguments, name) for name in FIELDS if getattr(arguments, name) is not None}
    if arguments.python and os.sep in arguments.python:
        options["python"] = str(Path(arguments.python).expanduser().absolute())  # workers run below the root
    return Permissions(options, arguments.model, getattr(arguments, "allow_commands", False))
