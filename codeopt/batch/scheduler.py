"""Order of a batch's problems: the next one, those of lost workers, and when the whole batch stops."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from codeopt.batch.batch_folder import BatchFolder, ProblemResult, TimeSpent
from codeopt.core.errors import CodeoptError, ModelError, NoSandbox
from codeopt.core.words import Speedup, directions

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
