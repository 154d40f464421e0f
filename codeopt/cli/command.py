"""The shape of a command: its function `run`, decorated with what else the command line has to know of it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

from codeopt.core import plugins

Run = Callable[[argparse.Namespace], int]


@dataclass(frozen=True)
class Command:
    """One command; made by `@command`. Called with the parsed arguments it answers with the exit status."""

    run: Run
    examples: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    """Flags that a beginner needs, five at most; the help has them before the others."""
    often: tuple[str, ...] = ()
    """Flags that --help shows after those; without any it shows all, and there is no --help-all."""
    verdicts: tuple[int, ...] = ()
    """Statuses of a negative verdict, which --exit-zero turns into 0."""
    takes_arguments: bool = False
    """Words after `--` are for the user's program."""
    others_files: bool = False
    """The current folder may hold what somebody else wrote, such as a change or an agent: no module is imported from
    there."""
    flags_only: bool = False
    """True if the project's settings do not count: their author must not choose sandbox, Python or model."""
    compares_settings: bool = False
    """Settings that were merged before the change are trusted; the change's own are not."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function of another name, which would be looked for in vain."""
        if self.run.__name__ != "run":
            raise ValueError(f"@command makes a command of run(arguments), not of {self.run.__name__}")

    def __call__(self, arguments: argparse.Namespace) -> int:
        return self.run(arguments)


def command(**details: Any) -> Callable[[Run], Command]:
    """Make a command of a function `run(arguments)`.

    Args:
        details: Fields of `Command`.

    Raises:
        ValueError: The function has another name.
        TypeError: A field is unknown.
    """
    return partial(Command, **details)


def command_of(module: ModuleType) -> Command:
    """Return the command that a module makes. Raises UsageError without one."""
    return plugins.made_by(module, "command", "run", Command, "@command(...)")
