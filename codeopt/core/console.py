"""Progress on standard error: live lines in a terminal, plain lines in a log, nothing when quiet."""

from __future__ import annotations

import math
import os
import re
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self

from codeopt.core.errors import report_lines
from codeopt.core.run_clock import ASCII_MARKS, MARKS, Stages
from codeopt.core.sanitize import harmless, inline, printable
from codeopt.core.screen import COLUMNS, open_terminal, write_lines

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.live import Live
    from rich.text import Text


HEARTBEAT_S = 30.0
"""Longest silence in a log, seconds: CI systems end jobs that say nothing for long."""
_FIGURES = re.compile(r"\d.*")
TICK_S = 1.0
"""Seconds between two looks at how long a log has been silent."""


class Console(AbstractContextManager["Console"]):
    """Progress and messages. No text of programs, models or file names steers a terminal or a CI system that reads
    along."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False) -> None:
        self._quiet = quiet
        self._verbose = verbose and not quiet
        self._live = LiveLines(self._drawn) if takes_live_lines() and not quiet and not verbose else None
        self._target = _Target()
        self._doing: Callable[[], str] = str
        self._unchanged = ("", 0.0)
        self._end = math.inf
        self._shown = ""
        self.stages = Stages()
        self._until: float | None = None
        self._began = self._last = time.monotonic()
        self._lock = threading.Lock()
        self._open = False
        self._ended = threading.Event()
        self._pulse = threading.Thread(target=self._beat, name="codeopt-heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._open = True
        if not self._quiet and not self._live:
            self._pulse.start()
        return self

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._open = False
        self._ended.set()
        if self._pulse.is_alive():
            self._pulse.join()
        if self._live:
            self._live.hide()

    def allow(self, seconds: float | None) -> None:
        """Set a time limit from now on, in seconds. The progress shows the time that is left of it."""
        self._until = None if seconds is None else time.monotonic() + seconds

    def _beat(self) -> None:
        """Print the present step from time to time while it lasts, if lines do not change in place."""
        while not self._ended.wait(TICK_S):
            if self._doing() and time.monotonic() - self._last >= HEARTBEAT_S:
                self.print(self._line())

    def _clock(self) -> str:
        return f"  {minutes(time.monotonic() - self._began)}  "

    def _left(self) -> str:
        """Return the estimated time to the end, or what the time limit leaves if that is less or nothing is known."""
        now = time.monotonic()
        left_s = self._target.left_s(self.stages)
        # An end only comes nearer: a loop over many changes would begin the same five seconds again and again.
        self._end = min(self._end, now + left_s)
        left_s = math.inf if math.isinf(left_s) else self._end - now
        limit_s = math.inf if self._until is None else max(0.0, self._until - now)
        known = estimate(left_s) if left_s < limit_s else ""
        return known or (f"at most {minutes(limit_s)} left" if 1 <= limit_s < math.inf else "")

    def _step(self, room: int) -> str:
        """Return the present step in at most `room` columns, with its seconds once it stands still."""
        now, words = time.monotonic(), self._doing()
        if words != self._unchanged[0]:
            self._unchanged = (words, now)
        stands_s = now - self._unchanged[1]
        # seconds after which a step whose words do not change is shown with its seconds: nothing seems to hang
        seconds = f", {stands_s:.0f} s" if words and stands_s >= 3.0 else ""
        return inline(words, room - len(f"...{seconds}")) + seconds

    def _drawn(self) -> Text:
        """Return the live lines: the clock with the present target or step and the time that is left, the stages."""
        from rich.text import Text

        marks = MARKS if self._live and self._live.terminal.encoding.startswith("utf") else ASCII_MARKS
        clock, left = self._clock(), f"  {self._left()}".rstrip()
        room = COLUMNS - len(clock)
        doing = self._step(room - len(left))
        first = f"{self._target.words(room - len(left))}{left}" if self._target.total > 1 else f"{doing}{left}"
        parts = [Text(first), Text(doing if self._target.total > 1 else ""), self.stages.drawn(marks)]
        margins = [clock, *[" " * len("  0:00  ")] * len(parts)]
        shown = zip(margins, (part for part in parts if part.plain), strict=False)
        rows = [Text(margin).append_text(part) for margin, part in shown]
        return Text("\n", no_wrap=True, overflow="ellipsis", end="").join(rows)

    def _line(self) -> str:
        """Return the clock and the present step, with the stage before it and the time that is left if both fit."""
        clock = self._clock()
        room, left = COLUMNS - len(clock), f"  {self._left()}".rstrip()
        doing = self._step(COLUMNS * 2)
        fitting = (f"{before}{doing}{left}" for before in (self.stages.words, ""))
        found = next((text for text in fitting if len(text) <= room), self._step(room))
        return f"{clock}{found}"

    def print(self, line: str) -> None:
        """Print one line that stays."""
        if not self._quiet:
            self._write(line)

    def print_all(self, lines: Iterable[str]) -> None:
        """Print several lines that stay."""
        for line in lines:
            self.print(line)

    def aside(self, line: str) -> None:
        """Print one line in a log or with -v. A terminal does not show it."""
        if not self._live:
            self.print(line)

    def detail(self, line: str) -> None:
        """Print one line that stays, when verbose."""
        if self._verbose:
            self._write(line)

    def warn(self, line: str, hint: str = "") -> None:
        """Print a warning that stays, even when quiet."""
        for each in report_lines("warning", line, hint):
            self._write(each)

    def _write(self, line: str) -> None:
        said = harmless(printable(line.replace("\n", "\\n")))  # a name may contain one
        if self._live:
            self._live.write(said)
        else:
            with self._lock:
                print(said, file=sys.stderr, flush=True)
        self._last = time.monotonic()

    def plan(self, stages: Sequence[str], typical: Mapping[str, float] | None = None) -> None:
        """Name the stages of the work that begins, which is in the first of them.

        typical: times as multiples of that of the first stage there, from which the time that is left is estimated.
        """
        self.stages = Stages(tuple(stages), stages[0] if stages else "", typical=typical or {}, since=time.monotonic())
        self._end = math.inf

    def stage(self, name: str, which: str = "") -> None:
        """Begin a stage. name: empty once all are behind. which: which of several it is, `2 of 4`."""
        self.stages = self.stages.begun(name, which)

    def step(self, done: int, total: int, name: str = "") -> None:
        """Set how many targets of a command are behind, of how many, and the present one.

        done: equal to `total` for work on all of them together, which `name` describes.
        """
        self._target = _Target(done, total, inline(name, 2 * COLUMNS), self._began, time.monotonic())
        self.stages, self._end = Stages(), math.inf

    def awaiting(self, words: Callable[[], str]) -> None:
        """Say what is awaited, in words that are asked for each time that they are shown."""
        self.progress(words())
        self._doing = words

    def progress(self, line: str) -> None:
        """Show the present step: in the live lines of a terminal, in a log from time to time, and if verbose once.

        Lines that differ from their first figure on, such as `case 7 of 12`, are one step.
        """
        self._doing = lambda: line
        before, self._shown = self._shown, f"{self.stages.words}{_FIGURES.sub('', line)}"
        if self._live:
            if self._open:
                self._live.show()
        elif (self._verbose and self._shown != before) or (
            not self._quiet and time.monotonic() - self._last >= HEARTBEAT_S
        ):
            self.print(self._line())


def estimate(seconds: float) -> str:
    """`about 20 s left`. Empty if it is not known or over."""
    if not 1 <= seconds < math.inf:
        return ""
    return f"about {math.ceil(seconds / 5) * 5} s left" if seconds <= 90 else f"about {seconds / 60:.0f} min left"


def minutes(seconds: float) -> str:
    """Seconds as `1:05`."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


@dataclass(frozen=True)
class _Target:
    """The present target of a command that has several."""

    done: int = 0
    total: int = 1
    name: str = ""
    since: float = 0.0
    """Begin of the command on the monotonic clock, seconds."""
    began: float = 0.0
    """Begin of this target on the same clock."""

    def words(self, room: int) -> str:
        """`2 of 4  shop/clean.py::distinct`, cut on its left if it has more than `room` columns."""
        number = f"{self.done + 1} of {self.total}  " if self.done < self.total else ""
        space = room - len(number)
        return number + (self.name if len(self.name) <= space else f"...{self.name[3 - space :]}")

    def left_s(self, stages: Stages) -> float:
        """Return the estimated time to the end of the command, seconds; infinite if unknown.

        stages: those of this target. Without a measured one it takes as long as the targets before it.
        """
        here = stages.left_s
        later = self.total - self.done - 1
        if later < 0:
            return here
        each = (self.began - self.since) / self.done if self.done else math.inf
        spent = time.monotonic() - self.began
        here = here if stages.is_measured or spent > each else each - spent
        return here + later * each if later else here


class CallbackConsole(Console):
    """A console for use from Python: each line that stays goes to a function instead of a terminal."""

    def __init__(self, notify: Callable[[str], None]) -> None:
        super().__init__(quiet=True)
        self._notify = notify

    def print(self, line: str) -> None:
        self._notify(line)

    def warn(self, line: str, hint: str = "") -> None:
        self._notify(f"{line} ({hint})" if hint else line)


# Status lines at the end of a terminal, which change during the work. Other output appears above them.


def takes_live_lines() -> bool:
    """Return whether standard error is a terminal that can go back to an earlier line."""
    return sys.stderr.isatty() and os.environ.get("TERM", "").lower() not in ("dumb", "unknown")


class LiveLines:
    """The one live display of a terminal.

    Lines of `write` are put above it. Anything else that writes to standard output or standard error takes it away
    first, so that nothing is glued to it; `show` brings it back.

    render: the display as it is now; called by another thread.
    """

    def __init__(self, render: Callable[[], RenderableType]) -> None:
        self._render = render
        self._lock = threading.RLock()
        self._live: Live | None = None
        self._streams = (sys.stdout, sys.stderr)
        # `print` holds sys.stdout by no reference of its own (cpython gh-130163), and the first write takes the guard
        # away from there: without this field it would be freed in the middle of that write.
        self._guards = tuple(self._guarded(stream) for stream in self._streams)
        self.terminal = open_terminal(sys.stderr)

    def show(self) -> None:
        """Show the display, unless it is there."""
        from rich.live import Live

        with self._lock:
            if self._live:
                return
            # Seconds between two drawings: few enough drawings that a program timed meanwhile has the
            # processor
            self._live = Live(
                console=self.terminal, get_renderable=self._render, refresh_per_second=1 / 0.5, transient=True,
                redirect_stdout=False, redirect_stderr=False,
            )  # fmt: skip
            # Rich's thread draws it, the first time too: Ctrl-C within a drawing would leave a part of it behind.
            self._live.start(refresh=False)
            sys.stdout, sys.stderr = self._guards

    def hide(self) -> None:
        """Wipe the display and give the terminal's cursor and streams back."""
        with self._lock:
            if self._live:
                live, self._live = self._live, None
                sys.stdout, sys.stderr = self._streams
                live.stop()

    def write(self, text: str) -> None:
        """Write lines that stay."""
        with self._lock:
            write_lines(text, self.terminal)

    def _guarded(self, stream: IO[str]) -> Any:
        return _HidesFirst(stream, self.hide) if stream and stream.isatty() else stream


class _HidesFirst:
    """A stream to the terminal whose first write takes the live lines away."""

    def __init__(self, stream: IO[str], hide: Callable[[], None]) -> None:
        self._stream, self._hide = stream, hide

    def write(self, text: str) -> int:
        self._hide()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
