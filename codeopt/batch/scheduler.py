"""Order of a batch's problems: the next, those of lost workers, when the whole batch stops; and its progress."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.core.console import Console, LiveLines, estimate, takes_live_lines
from codeopt.core.errors import CodeoptError, ModelError, NoSandbox, report_lines
from codeopt.core.model import NOTHING_USED, Usage
from codeopt.core.sanitize import inline
from codeopt.core.words import Speedup, counted, directions, factor, money

if TYPE_CHECKING:
    from rich.console import RenderableType


RECORD_S = 2.0
"""Interval at which the batch's time is saved, seconds."""


@dataclass
class Scheduler:
    """Queue of the problems that wait, and the state of the batch."""

    batch: BatchFolder
    on_event: Callable[[WorkerEvent], None]
    """Callback of the progress display."""
    waiting: deque[str] = field(default_factory=deque)
    stopped: str = ""
    """Reason why not every problem was begun; empty: the batch continues."""
    _failures: int = 0
    """Problems in a row that failed for the model's sake."""
    _recorded: float = field(default_factory=time.monotonic)

    def next(self) -> str:
        """Take the next problem; empty: all are begun, or no more may be."""
        return "" if self.stopped or not self.waiting else self.waiting.popleft()

    def give_back(self, problem: str) -> None:
        """Put a problem back that was given out but not taken up."""
        self.waiting.appendleft(problem)

    def hear(self, event: WorkerEvent) -> None:
        """Take in an event of a worker. Raises what keeps it from working, and ModelError where the model's server
        fails everyone."""
        if event.kind == "broken":
            error = NoSandbox(event.text) if event.exit_status == NoSandbox.exit_status else CodeoptError(event.text)
            error.exit_status = event.exit_status
            raise error
        if event.kind == "ready":
            self.batch.set_facts(backend=event.text)
        self.on_event(event)
        if event.kind != "ended":
            return
        if event.result == "paused":
            self.stopped = event.text
        self._failures = self._failures + 1 if event.result == "failed: model" else 0
        # problems in a row that may fail for the model's sake; then the batch stops, as not they are at fault
        if self._failures >= 8:
            raise ModelError(
                f"the model failed in {self._failures} problems in a row, last with: {event.text}",
                hint="the same command with --retry-failed continues",
            )

    def lost(self, problem: str, reason: str) -> None:
        """Try a lost worker's problem again, or note that it has failed."""
        self.batch.note(problem, reason)
        # attempts at a problem whose worker died
        if self.batch.status(problem).attempts < 2:
            self.waiting.append(problem)
            return
        self.batch.end(problem, ProblemResult("failed", reason, fault="worker"), TimeSpent())
        self.on_event(WorkerEvent("ended", problem, reason, "failed: worker"))

    def record_time(self, *, last: bool = False) -> None:
        """Save the batch's own time every RECORD_S, so that a killed batch loses no more than that."""
        now = time.monotonic()
        if now - self._recorded >= RECORD_S or last:
            self.batch.add_seconds(now - self._recorded)
            self._recorded = now


# Events that a worker sends to the batch.


@dataclass(frozen=True)
class WorkerEvent:
    """A step or the end of a problem, or an error that stops all, as a worker sends it."""

    kind: Literal["ready", "progress", "ended", "broken", "note"]
    problem: str = ""
    text: str = ""
    """`ready`: the sandbox; `progress`: the current step; `ended`: the times or the reason; `broken`: the error that
    stops all; `note`: a line about the cluster."""
    result: str = ""
    """`ended`: `faster` or another word for the task's gain, `no faster version`, `skipped`, `failed: FAULT`."""
    gain: str = ""
    """`ended`: the confirmed speedup, `44x faster`."""
    ratio: float | None = None
    exit_status: int = 0
    """`broken`: the error's exit status."""


def ended(problem: str, ending: ProblemResult) -> WorkerEvent:
    if ending.best is None:
        shown = {"done": "no faster version", "failed": f"failed: {ending.fault}"}
        return WorkerEvent("ended", problem, ending.reason, shown.get(ending.status, ending.status))
    if ending.best.comparison is None:
        return WorkerEvent("ended", problem, ending.reason, "improved")
    speedup = Speedup.of(ending.best.comparison)
    return WorkerEvent("ended", problem, speedup.times, directions(speedup.metric)[0], speedup.gain, speedup.ratio)


@dataclass
class ThrottledProgress:
    """Sender of progress events that drops those which follow too soon."""

    send: Callable[[WorkerEvent], None]
    problem: str
    _last: float = field(default=0.0, repr=False)

    def __call__(self, line: str) -> None:
        now = time.monotonic()
        # shortest time between two events of progress, seconds
        if now - self._last >= 0.2:
            self._last = now
            self.send(WorkerEvent("progress", self.problem, line))


# Progress of a running batch for people: a live display in a terminal, one line a problem in a log.


HEARTBEAT_S = 25.0
"""Longest silence in a log, seconds: CI systems end jobs that say nothing for long."""


def open_progress(batch: BatchFolder, *, quiet: bool, limit: float | None) -> LogProgress | LiveProgress:
    """Open the display that fits standard error, a terminal or not. limit: US dollars that may be spent."""
    live = takes_live_lines() and not quiet
    return LiveProgress(batch, limit) if live else LogProgress(batch, limit, quiet)


class Progress:
    """Counts and times of this session so far."""

    def __init__(self, batch: BatchFolder, limit: float | None) -> None:
        self._batch, self._limit = batch, limit
        self.total = self.ended = 0
        self.results: Counter[str] = Counter()
        self.best: tuple[str, float] = ("", 1.0)
        self._started = self._last_end = time.monotonic()
        self._spent: tuple[float, Usage] = (float("-inf"), NOTHING_USED)

    def begin(self, total: int, workers: int = 1) -> None:
        """Start the clock, and show what there is to do."""
        self.total, self._started = total, time.monotonic()

    def on_event(self, event: WorkerEvent) -> None:
        """Count a problem that ended."""
        if event.kind != "ended":
            return
        self.ended, self._last_end = self.ended + 1, time.monotonic()
        self.results[event.result] += 1
        if event.ratio is not None and event.ratio > self.best[1]:
            self.best = (event.problem, event.ratio)

    def seconds(self) -> float:
        """Time since this session began, seconds."""
        return time.monotonic() - self._started

    def counts(self) -> str:
        """Phrase with the results so far, the most frequent first."""
        return ", ".join(f"{count} {inline(result, 30)}" for result, count in self.results.most_common())

    def left(self) -> str:
        """`about 2 min left`, at the pace of those that ended. Empty where they take longer than that."""
        if not self.ended:
            return "estimating"
        each, since = (self._last_end - self._started) / self.ended, time.monotonic() - self._last_end
        return estimate(each * (self.total - self.ended) - since)

    def money(self) -> str:
        """Cost of the model over all sessions, in words; empty: no model was asked."""
        asked, spent = self._spent
        # age of the cost on display, seconds, at which it is added up again
        if time.monotonic() - asked > 2.0:
            spent = self._batch.spent()
            self._spent = (time.monotonic(), spent)
        if not spent.replies:
            return ""
        return f"{spent.tokens:,} tokens, {money(spent.cost_usd)}" + (f" of {self._limit:.2f}" if self._limit else "")


class LogProgress(Progress, AbstractContextManager["LogProgress"]):
    """A log: one line a problem, and one now and then while nothing ends."""

    def __init__(self, batch: BatchFolder, limit: float | None, quiet: bool) -> None:
        super().__init__(batch, limit)
        self._console, self._last = Console(quiet=quiet), time.monotonic()

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        if self.ended:
            self._print(f"{self.ended} of {self.total} done in {clock(self.seconds())}: {self.counts()}")

    def begin(self, total: int, workers: int = 1) -> None:
        super().begin(total)
        self._print(f"{counted(total, 'problem')}, {workers} at a time")

    def on_event(self, event: WorkerEvent) -> None:
        """Print a line for each problem that ended."""
        super().on_event(event)
        if event.kind == "ended":
            spent = self.money()
            after = f"  [{spent}]" if spent else ""
            self._print(f"{ended_row(event)}   {self.ended} of {self.total} done{after}")
        elif event.kind == "note":
            self._print(event.text)
        elif time.monotonic() - self._last > HEARTBEAT_S and event.kind == "progress":
            self._print(f"... {inline(event.problem, 40)}: {inline(event.text, 80)}")

    def warn(self, line: str, hint: str = "") -> None:
        """Print a warning, also when quiet."""
        self._console.warn(inline(line, 400), hint)

    def _print(self, line: str) -> None:
        self._console.print(f"[{clock(self.seconds())}] {line}")
        self._last = time.monotonic()


class LiveProgress(Progress, AbstractContextManager["LiveProgress"]):
    """A live display in a terminal: progress and estimate, results so far. Problems that ended scroll by above it."""

    def __init__(self, batch: BatchFolder, limit: float | None) -> None:
        super().__init__(batch, limit)
        self._live = LiveLines(self._drawn)
        self._doing = self._cost = ""

    def __exit__(self, _t: type[BaseException] | None, _e: BaseException | None, _tb: TracebackType | None) -> None:
        self._live.hide()

    def begin(self, total: int, workers: int = 1) -> None:
        super().begin(total)
        self._live.show()

    def on_event(self, event: WorkerEvent) -> None:
        """Show what a worker does; a problem that ended scrolls by above the display."""
        super().on_event(event)
        self._cost = self.money()
        if event.kind == "note":
            self._live.write(inline(event.text, 400))
        elif event.kind == "progress":
            self._doing = f"{inline(event.problem, 30)}: {inline(event.text, 70)}"
        elif event.kind == "ended":
            self._doing = ""
            self._live.write(ended_row(event))
        self._live.show()

    def warn(self, line: str, hint: str = "") -> None:
        """Print a warning above the display."""
        self._live.write("\n".join(report_lines("warning", inline(line, 400), hint)))

    def _drawn(self) -> RenderableType:
        from rich.text import Text

        first = f"  {clock(self.seconds())}  {self.ended} of {self.total} done  {self.left()}"
        best = f"best {inline(self.best[0], 30)} {factor(self.best[1])}" if self.best[0] else ""
        so_far = ", ".join(filter(None, (self.counts(), best, self._cost, self._doing)))
        return Text(f"{first}\n        {so_far}", no_wrap=True, overflow="ellipsis")


def ended_row(event: WorkerEvent) -> str:
    """`lost-socks        44x faster         1.2 s -> 27 ms CPU time`."""
    return f"{inline(event.problem, 30):<16}  {event.gain or event.result:<17}  {inline(event.text, 40)}".rstrip()


def clock(seconds: float) -> str:
    """Format a duration as H:MM:SS, or M:SS below an hour."""
    whole = int(seconds)
    hours, minutes = divmod(whole // 60, 60)
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"
