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
    def first_s(self) -> float: ...

    @property
    def sleep(self) -> Callable[[float], None]: ...

    def wait(self) -> float: ...

    def refused(self, wait_s: float | None = None) -> float: ...


class WorkerStore(Protocol):
    """A batch's database as a worker sees it: a BatchStore, or a RemoteStore on another machine."""

    @property
    def backoff(self) -> Pauses: ...

    def begin(self, id: str) -> None: ...

    def load(self, id: str) -> tuple[History, Ledger, dict[str, bool]] | None: ...

    def save(
        self, id: str, history: History, ledger: Ledger, suite: Mapping[str, bool], time_spent: TimeSpent
    ) -> None: ...

    def keep(self, id: str, stage: Stage, candidate: Candidate) -> None: ...

    def end(self, id: str, ending: ProblemResult, time_spent: TimeSpent) -> None: ...

    def note(self, problem: str, text: str) -> None: ...

    def exchanges(self, id: str, first: int) -> list[Reply]: ...

    def add_exchange(self, id: str, number: int, messages: Sequence[Message], reply: Reply) -> None: ...

    def spent(self) -> Spent: ...
