"""Progress on standard error: a live line in a terminal, plain lines in a log, nothing when quiet."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from codeopt.core.sanitize import harmless, inline, printable
from codeopt.core.screen import write_lines

HEARTBEAT_S = 30.0
"""Longest silence in a log, seconds: CI systems end jobs that say nothing for long."""
COLUMNS = 80
"""Widest progress line, columns."""
TICK_S = 1.0
"""Seconds between two updates of the live line's clock."""


class Console(AbstractContextManager["Console"]):
    """Progress and messages. No text of programs, models or file names steers a terminal or a CI system that reads
    along."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._live = sys.stderr.isatty() and not quiet and not verbose
        self._shown = ""
        self._prefix = ""
        self._doing = ""
        self._stage = self._step = ""
        self._until: float | None = None
        self._began = self._last = time.monotonic()
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._pulse = threading.Thread(target=self._beat, name="codeopt-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        if not self._quiet:
            self._pulse.start()
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._ended.set()
        if self._pulse.is_alive():
            self._pulse.join()
        self._clear()

    def allow(self, seconds: float | None) -> None:
        """Set a time limit from now on, in seconds; the live line shows the time that is left of it."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def _beat(self) -> None:
        """Move the clock of the live line; in a log, say now and then what is being done, however long that takes."""
        while not self._ended.wait(TICK_S):
            with self._lock:
                if self._live and self._shown:
                    self._draw()
                elif not self._live and self._doing and time.monotonic() - self._last >= HEARTBEAT_S:
                    self.print(self._line(COLUMNS))

    def _clock(self) -> str:
        """Elapsed time, `1:05`, or with a limit `1:05 (8:55 left)`."""
        now = time.monotonic()
        left = "" if self._until is None else f" ({minutes(max(0.0, self._until - now))} left)"
        return f"{minutes(now - self._began)}{left}"

    def _draw(self) -> None:
        self._clear()
        self._shown = self._line(min(COLUMNS, terminal_width() - 1))
        sys.stderr.write(f"\r{self._shown}")
        sys.stderr.flush()

    def _line(self, columns: int) -> str:
        """The clock and what is done; of which stage, too, where there is room for both."""
        clock = self._clock()
        room = max(20, columns - len(f"  {clock}   ..."))
        whole = inline(f"{self._step}{self._stage}{self._doing}", COLUMNS * 2)
        said = whole if len(whole) <= room else inline(self._doing, room - len("..."))
        return f"  {clock}  {said} ..."

    def print(self, line: str) -> None:
        """Print one line that stays."""
        if not self._quiet:
            self._write(line)

    def aside(self, line: str) -> None:
        """Print one line that stays in a log and when verbose; a terminal does without it."""
        if not self._live:
            self.print(line)

    @property
    def brief(self) -> bool:
        """Whether a terminal is told the verdict, the figures and the next step alone; -v tells the rest."""
        return self._live

    def settle(self) -> None:
        """Wipe the line of progress: something else is about to be written to the terminal."""
        with self._lock:
            self._clear()
            sys.stderr.flush()

    def detail(self, line: str) -> None:
        """Print one line that stays, when verbose."""
        if self._verbose:
            self._write(line)

    def warn(self, line: str) -> None:
        """Print one line that stays, even when quiet."""
        self._write(f"codeopt: {line}")

    def _write(self, line: str) -> None:
        with self._lock:
            self._clear()
            said = harmless(printable(line))
            if self._live:
                write_lines(said, sys.stderr, terminal_width())
            else:
                print(said, file=sys.stderr, flush=True)
            self._last = time.monotonic()

    def stage(self, prefix: str) -> None:
        """Set the prefix of the next progress lines."""
        self._prefix = prefix

    def step(self, done: int, total: int) -> None:
        """Set how many targets of a command are behind, of how many; the live line shows it with the time so far."""
        left = f", about {minutes((time.monotonic() - self._began) / done * (total - done))} left" if done else ""
        self._step = f"{done + 1} of {total}{left}: " if total > 1 else ""

    def progress(self, line: str) -> None:
        """Say what is being done: overwritten in a terminal; in a log now and then, or always if verbose."""
        with self._lock:
            self._doing, self._stage = line, self._prefix
            if self._live:
                self._draw()
            elif self._verbose or (not self._quiet and time.monotonic() - self._last >= HEARTBEAT_S):
                self.print(self._line(COLUMNS))

    def _clear(self) -> None:
        if self._shown:
            sys.stderr.write("\r\033[2K")
            self._shown = ""


def minutes(seconds: float) -> str:
    """Seconds as `1:05`."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def terminal_width() -> int:
    """Columns of the terminal behind standard error; standard output is often a file."""
    try:
        return int(os.environ.get("COLUMNS") or os.get_terminal_size(sys.stderr.fileno()).columns)
    except (OSError, ValueError):
        return 80


class CallbackConsole(Console):
    """A console for use from Python: each line that stays goes to a function instead of a terminal."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        super().__init__(quiet=True)
        self._notify = notify

    def print(self, line: str) -> None:
        """Pass one line on."""
        self._notify(line)

    def warn(self, line: str) -> None:
        """Pass one warning on."""
        self._notify(line)
