"""What a person sees on stderr: a live line in a terminal, plain lines in a log, nothing when quiet."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from codeopt.escaping import harmless, inline, printable

HEARTBEAT_S = 25.0
"""CI systems end jobs that say nothing for long."""


class Console(AbstractContextManager["Console"]):
    """Progress and messages. No text of programs, models or file names steers a terminal or a CI system that reads
    along."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and not quiet
        self._shown = ""
        self._prefix = ""
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._clear()

    def print(self, line: str) -> None:
        """One line that stays."""
        if not self._quiet:
            self._clear()
            print(harmless(printable(line)), file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def warn(self, line: str) -> None:
        """One line that stays, also when quiet."""
        self._clear()
        print(harmless(printable(f"codeopt: {line}")), file=sys.stderr, flush=True)

    def stage(self, prefix: str) -> None:
        """What the next progress lines belong to."""
        self._prefix = prefix

    def progress(self, line: str) -> None:
        """What is being done now; overwritten in a terminal, said now and then in a log."""
        text = inline(f"{self._prefix}{line}", max(20, min(110, _width() - 10)))
        if self._live:
            self._clear()
            sys.stderr.write(f"\r  {text} ...")
            sys.stderr.flush()
            self._shown = text
        elif not self._quiet and time.monotonic() - self._last > HEARTBEAT_S:
            self.print(f"  {text} ...")

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\033[2K")
            self._shown = ""


def _width() -> int:
    """Columns of the terminal behind standard error; standard output is often a file."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stderr.fileno()).columns)
    except (OSError, ValueError):
        return 80


class CallbackConsole(Console):
    """Gives every line that stays to a function instead of a terminal; for use from Python."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        super().__init__(quiet=True)
        self._notify = notify

    def print(self, line: str) -> None:
        """One line."""
        self._notify(line)

    def warn(self, line: str) -> None:
        """One line."""
        self._notify(line)
