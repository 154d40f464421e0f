"""A model whose every reply is kept before it is used, and is asked for again only when it was not yet paid for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from codeopt.batch.backoff import Backoff
from codeopt.batch.batch_folder import BatchFolder
from codeopt.batch.locks import RequestSlots
from codeopt.core.errors import CodeoptError, ModelError
from codeopt.core.model import Message, Model, Reply, at_once, replies

MAX_TRIES = 6
"""Attempts of one request; with the pauses in between they take about a minute."""
FINAL_STATUSES = frozenset({400, 401, 403, 404, 413, 422})
"""HTTP statuses after which the same request would fail in the same way."""


class BudgetSpent(CodeoptError):
    """The budget of the whole batch is spent."""

    exit_status = 6


@dataclass
class PaidReplies:
    """Replies to a problem that are on disk, of all its models together, in the order in which they were given out."""

    batch: BatchFolder
    problem: str
    number: int
    """Replies used so far; later ones that are on disk are given out again."""
    asking_s: float = 0.0
    """Time that replies and pauses took, seconds."""
    _left: list[Reply] | None = field(default=None, repr=False)

    def next(self) -> Reply | None:
        """Take the next reply that is paid for and was not used; None: all were."""
        if self._left is None:
            self._left = self.batch.exchanges(self.problem, self.number)
        if not self._left:
            return None
        self.number += 1
        return self._left.pop(0)

    def add(self, messages: Sequence[Message], reply: Reply) -> None:
        """Keep a new reply before it is used."""
        self.batch.add_exchange(self.problem, self.number, messages, reply)
        self.number += 1


class CachedModel:
    """A model that gives out paid replies before it asks for new ones. Raises BudgetSpent, and ModelError where the
    model fails for good.

    may_spend: raises BudgetSpent where nothing more may be asked.
    """

    def __init__(
        self,
        model: Model,
        paid: PaidReplies,
        backoff: Backoff,
        may_spend: Callable[[], None],
        notify: Callable[[str], None],
    ) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self._model, self._paid = model, paid
        self._backoff, self._may_spend, self._notify = backoff, may_spend, notify

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Return the next reply: one that is paid for, else a new one. Raises BudgetSpent, ModelError."""
        return self._paid.next() or next(
            self._new(messages, 1, lambda count: iter([self._model.complete(messages, on_text=on_text)]))
        )

    def several(self, messages: Sequence[Message], count: int) -> Iterator[Reply]:
        """Yield `count` replies to the same messages, paid ones first. Raises BudgetSpent, ModelError."""
        while count and (reply := self._paid.next()):
            count -= 1
            yield reply
        yield from self._new(messages, count, lambda left: replies(self._model, messages, left))

    def _new(self, messages: Sequence[Message], count: int, ask: Callable[[int], Iterator[Reply]]) -> Iterator[Reply]:
        """Yield `count` new replies; a failed request is repeated. Raises BudgetSpent, ModelError."""
        attempt = 1
        while count:
            self._may_spend()
            started = time.monotonic()
            try:
                self._backoff.wait()
                for reply in ask(count):
                    self._paid.add(messages, reply)
                    self._paid.asking_s += time.monotonic() - started
                    count -= 1
                    yield reply
                    started = time.monotonic()
            except ModelError as error:
                if error.status in FINAL_STATUSES or attempt == MAX_TRIES:
                    raise
                self._paid.batch.note(self._paid.problem, f"{error.words} (try {attempt} of {MAX_TRIES})")
                self._after_failure(error, attempt)
                attempt += 1
                self._paid.asking_s += time.monotonic() - started

    def _after_failure(self, error: ModelError, attempt: int) -> None:
        """Pause all workers after "too many requests" and "overloaded", and only this one after anything else."""
        if error.status in {429, 503}:
            seconds = self._backoff.refused(error.wait_s)
            self._notify(f"the model's server says {error.status}; all workers wait {seconds:.0f} s")
        else:
            self._backoff.sleep(self._backoff.first_s * 2 ** (attempt - 1) if error.wait_s is None else error.wait_s)


class SlottedModel:
    """A model that waits for a slot before each request."""

    def __init__(self, model: Model, slots: RequestSlots) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self._model, self._slots = model, slots

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Ask the model within a slot. Raises ModelError."""
        with self._slots.held():
            return self._model.complete(messages, on_text=on_text)

    def several(self, messages: Sequence[Message], count: int) -> Iterator[Reply]:
        """Ask the model `count` times at once, as far as slots are free. Raises ModelError."""
        return at_once(lambda: self.complete(messages), count)
