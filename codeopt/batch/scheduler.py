"""Who gets which problem next, what becomes of a lost worker's, and when the whole batch stops; not how workers run."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from codeopt.batch.database import BatchStore
from codeopt.batch.records import ProblemResult, TimeSpent
from codeopt.batch.worker_events import WorkerEvent
from codeopt.core.errors import ModelError

MAX_ATTEMPTS = 2
"""A problem that was at work when its worker died is tried once more."""
PATIENCE = 8
"""After so many problems in a row that failed for the model's sake, the batch stops: not they are at fault."""


@dataclass
class Scheduler:
    """The problems that wait, and what is known of how the batch goes."""

    store: BatchStore
    tell: Callable[[int, WorkerEvent], None]
    """Receives the worker's number and what it says; for the progress display."""
    waiting: deque[str] = field(default_factory=deque)
    stopped: str = ""
    """Why not every problem was begun."""
    _failures: int = 0
    """Problems in a row that failed for the model's sake."""
    _recorded: float = field(default_factory=time.monotonic)

    def next(self) -> str:
        """The next problem; empty when there is none, or no more are begun."""
        return "" if self.stopped or not self.waiting else self.waiting.popleft()

    def give_back(self, problem: str) -> None:
        """A problem that was given out but not taken up."""
        self.waiting.appendleft(problem)

    def ended(self, worker: int, event: WorkerEvent) -> None:
        """A problem has ended. Raises ModelError when the model's server fails everyone."""
        self.tell(worker, event)
        if event.result == "paused":
            self.stopped = event.text
        self._failures = self._failures + 1 if event.result == "failed: model" else 0
        if self._failures >= PATIENCE:
            raise ModelError(
                f"{self._failures} problems in a row failed for the model's sake, the last with: {event.text}; "
                "the batch stops here (the same command with --retry-failed goes on)"
            )

    def lost(self, worker: int, problem: str, reason: str) -> None:
        """The worker that had it is gone: it is tried again, by another one, or has failed."""
        self.store.note(problem, reason)
        if self.store.attempts(problem) < MAX_ATTEMPTS:
            self.waiting.append(problem)
            return
        self.store.end(problem, ProblemResult("failed", reason, fault="worker"), TimeSpent())
        self.tell(worker, WorkerEvent("ended", problem, reason, "failed: worker"))

    def record_time(self, *, last: bool = False) -> None:
        """The batch's own wall time, so that a killed batch loses no more than a moment of it."""
        now = time.monotonic()
        if now - self._recorded >= 2 or last:
            self.store.add_seconds(now - self._recorded)
            self._recorded = now
