"""Protocols of the batch's database as a worker needs it, wherever that is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from codeopt.batch.records import ProblemResult, Spent, Stage, TimeSpent
from codeopt.core.budget import Ledger
from codeopt.core.history import Candidate, History
from codeopt.core.model import Message, Reply


class Pauses(Protocol):
    """Pause that all workers share when the model's server refuses; see backoff.Backoff."""

    @property
    def first_s(self) -> float:
        """First pause, seconds."""
        ...

    @property
    def sleep(self) -> Callable[[float], None]:
        """Callable that sleeps, given seconds."""
        ...

    def wait(self) -> float:
        """Sleep until the pause is over; returns the seconds slept."""
        ...

    def refused(self, wait_s: float | None = None) -> float:
        """Begin a pause after a refusal; returns its seconds."""
        ...


class WorkerStore(Protocol):
    """A batch's database as a worker sees it: a BatchStore, or a RemoteStore on another machine."""

    @property
    def backoff(self) -> Pauses:
        """Pause that all workers share."""
        ...

    def begin(self, id: str) -> None:
        """Note that a worker takes the problem up."""
        ...

    def load(self, id: str) -> tuple[History, Ledger, dict[str, bool]] | None:
        """Read a problem's state; None: it has not begun."""
        ...

    def save(self, id: str, history: History, ledger: Ledger, suite: Mapping[str, bool], time_spent: TimeSpent) -> None:
        """Save a problem's state after a round; time_spent: since it was saved last."""
        ...

    def keep(self, id: str, stage: Stage, candidate: Candidate) -> None:
        """Keep a measurement outside the rounds."""
        ...

    def end(self, id: str, ending: ProblemResult, time_spent: TimeSpent) -> None:
        """Keep how a problem ended."""
        ...

    def note(self, problem: str, text: str) -> None:
        """Keep a line about something that went wrong."""
        ...

    def exchanges(self, id: str, first: int) -> list[Reply]:
        """Replies of a problem from number `first` on."""
        ...

    def add_exchange(self, id: str, number: int, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a reply before it is used."""
        ...

    def spent(self) -> Spent:
        """Cost of all replies so far."""
        ...
