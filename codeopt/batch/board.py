"""What a person sees of a running batch: a live board in a terminal, one line a problem in a log."""

from __future__ import annotations

import sys
import time
from collections import Counter
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from codeopt.batch.facts import Spent
from codeopt.batch.message import Message
from codeopt.batch.store import BatchStore
from codeopt.quoting import inline
from codeopt.screen import Screen

if TYPE_CHECKING:
    from rich.console import RenderableType

REDRAW_S = 0.25
HEARTBEAT_S = 25.0
"""CI systems end jobs that say nothing for long."""


class Board(Protocol):
    """Hears what the workers say."""

    def begin(self, total: int, workers: int) -> None:
        """So many problems are left, so many workers work on them."""
        ...

    def hear(self, worker: int, message: Message) -> None:
        """A worker said something."""
        ...

    def warn(self, line: str) -> None:
        """One line that is always shown."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


def open_board(store: BatchStore, *, quiet: bool, limit: float | None) -> Board:
    """The board that fits where standard error goes. limit: USD that may be spent."""
    tally = Tally(store, limit)
    return Live(tally) if sys.stderr.isatty() and not quiet else Log(tally, quiet)


class Tally:
    """What has happened so far in this sitting."""

    def __init__(self, store: BatchStore, limit: float | None) -> None:
        self._store, self._limit = store, limit
        self.total = self.ended = self.workers = 0
        self.results: Counter[str] = Counter()
        self.best: tuple[str, float] = ("", 1.0)
        self._started = time.monotonic()
        self._spent: tuple[float, Spent] = (float("-inf"), Spent(0, 0, 0.0))

    def begin(self, total: int, workers: int) -> None:
        """Start the clock."""
        self.total, self.workers, self._started = total, workers, time.monotonic()

    def hear(self, message: Message) -> None:
        """Count a problem that ended."""
        if message.kind != "ended":
            return
        self.ended += 1
        self.results[message.result] += 1
        if message.ratio is not None and message.ratio > self.best[1]:
            self.best = (message.problem, message.ratio)

    def seconds(self) -> float:
        """Of this sitting."""
        return time.monotonic() - self._started

    def counts(self) -> str:
        """Results so far, the most frequent first."""
        return ", ".join(f"{count} {inline(result, 30)}" for result, count in self.results.most_common())

    def eta(self) -> str:
        """How long it will take at this pace."""
        if not self.ended:
            return "?"
        return clock(self.seconds() / self.ended * (self.total - self.ended))

    def money(self) -> str:
        """What the model has cost, all sittings together; empty when no model was asked."""
        asked, spent = self._spent
        if time.monotonic() - asked > 2:
            spent = self._store.spent()
            self._spent = (time.monotonic(), spent)
        if not spent.replies:
            return ""
        cost = "price not known" if spent.cost_usd is None else f"{spent.cost_usd:.4f} USD"
        return f"{spent.tokens:,} tokens, {cost}" + (f" of {self._limit:.2f}" if self._limit else "")


class Log(AbstractContextManager["Log"]):
    """One line a problem, and one now and then while nothing ends."""

    def __init__(self, tally: Tally, quiet: bool) -> None:
        self._tally, self._screen = tally, Screen(quiet=quiet)
        self._last = time.monotonic()

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self._tally.ended:
            self._say(
                f"{self._tally.ended} of {self._tally.total} ended in {clock(self._tally.seconds())}: "
                f"{self._tally.counts()}"
            )

    def begin(self, total: int, workers: int) -> None:
        """Say how much there is to do."""
        self._tally.begin(total, workers)
        self._say(f"{total} problems to do, {workers} workers")

    def hear(self, worker: int, message: Message) -> None:
        """A line for each problem that ended."""
        self._tally.hear(message)
        if message.kind == "ended":
            ratio = f"{message.ratio:.2f}x" if message.ratio else "-"
            self._say(
                f"{self._tally.ended}/{self._tally.total} {inline(message.problem, 40):<12} {message.result:<14} "
                f"{ratio:>8}  {inline(message.text, 100)}{self._after()}"
            )
        elif time.monotonic() - self._last > HEARTBEAT_S and message.kind == "progress":
            self._say(f"... {inline(message.problem, 40)}: {inline(message.text, 80)}")

    def warn(self, line: str) -> None:
        """Also when quiet."""
        self._screen.warn(inline(line, 400))

    def _after(self) -> str:
        money = self._tally.money()
        return f"  [{money}]" if money else ""

    def _say(self, line: str) -> None:
        self._screen.say(f"[{clock(self._tally.seconds())}] {line}")
        self._last = time.monotonic()


class Live(AbstractContextManager["Live"]):
    """The board in a terminal: overall bar, a line a worker, the last results."""

    def __init__(self, tally: Tally) -> None:
        from rich.console import Console
        from rich.live import Live as RichLive

        self._tally = tally
        self._console = Console(stderr=True)
        self._live = RichLive(console=self._console, refresh_per_second=1 / REDRAW_S, transient=True)
        self._doing: dict[int, tuple[str, str]] = {}
        self._drawn = 0.0

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.__exit__(kind, error, trace)

    def begin(self, total: int, workers: int) -> None:
        """Draw the empty board."""
        self._tally.begin(total, workers)
        self._draw(force=True)

    def hear(self, worker: int, message: Message) -> None:
        """Remember what the worker does; a problem that ended scrolls by above the board."""
        self._tally.hear(message)
        if message.kind == "progress":
            self._doing[worker] = (message.problem, message.text)
        elif message.kind == "ended":
            self._doing.pop(worker, None)
            ratio = f"{message.ratio:.2f}x" if message.ratio else "-"
            self._console.print(
                f"{inline(message.problem, 30):<16} {message.result:<14} {ratio:>8}  {inline(message.text, 80)}",
                markup=False, highlight=False, no_wrap=True, overflow="ellipsis",
            )  # fmt: skip
        self._draw(force=message.kind == "ended")

    def warn(self, line: str) -> None:
        """Above the board."""
        self._console.print(f"codeopt: {inline(line, 400)}", markup=False, highlight=False, soft_wrap=True)

    def _draw(self, *, force: bool) -> None:
        now = time.monotonic()
        if force or now - self._drawn >= REDRAW_S:
            self._drawn = now
            self._live.update(self._board())

    def _board(self) -> RenderableType:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        tally = self._tally
        grid = Table.grid(padding=(0, 1))
        for worker in range(tally.workers):
            problem, doing = self._doing.get(worker, ("", "-"))
            grid.add_row(f"worker {worker}", Text(inline(problem, 30)), Text(inline(doing, 70), style="dim"))
        head = Table.grid(padding=(0, 1))
        best = f"best {inline(tally.best[0], 30)} {tally.best[1]:.2f}x" if tally.best[0] else ""
        head.add_row(
            ProgressBar(total=max(1, tally.total), completed=tally.ended, width=40),
            f"{tally.ended}/{tally.total}", f"{clock(tally.seconds())} gone, about {tally.eta()} left",
        )  # fmt: skip
        return Group(head, Text("   ".join(filter(None, (tally.counts(), best, tally.money())))), grid)


def clock(seconds: float) -> str:
    """H:MM:SS, or M:SS."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
