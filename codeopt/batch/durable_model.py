"""A model whose every reply is kept before it is used, and is asked for again only when it was not yet paid for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from codeopt.batch.worker_store import Pauses, WorkerStore
from codeopt.errors import CodeoptError, ModelError
from codeopt.models import Message, Model, Reply

TRIES = 6
"""Of one request, all failures together; with the pauses in between about a minute."""
FINAL_STATUSES = frozenset({400, 401, 403, 404, 413, 422})
"""The same request would fail in the same way."""


class BudgetSpent(CodeoptError):
    """The whole batch may spend no more."""

    exit_status = 6


class CachedModel:
    """Stands between a proposer and its model. Raises ModelError when the model fails for good, BudgetSpent.

    first: how many of the problem's replies were used before; later ones that are in the database are given out again.
    may_spend: raises BudgetSpent when nothing more may be asked.
    """

    def __init__(
        self,
        model: Model,
        store: WorkerStore,
        problem: str,
        first: int,
        backoff: Pauses,
        may_spend: Callable[[], None],
        notify: Callable[[str], None],
    ) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self.asking_s = 0.0
        """Seconds that replies and pauses took."""
        self._model, self._store, self._problem = model, store, problem
        self._number = first
        self._paid = store.exchanges(problem, first)
        self._backoff, self._may_spend, self._notify = backoff, may_spend, notify

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """The next reply: one that is paid for, else a new one."""
        if self._paid:
            reply = self._paid.pop(0)
        else:
            started = time.monotonic()
            try:
                reply = self._ask(messages, on_text)
            finally:
                self.asking_s += time.monotonic() - started
            self._store.add_exchange(self._problem, self._number, messages, reply)
        self._number += 1
        return reply

    def _ask(self, messages: Sequence[Message], on_text: Callable[[str], None] | None) -> Reply:
        for attempt in range(1, TRIES + 1):
            self._may_spend()
            self._backoff.wait()
            try:
                return self._model.complete(messages, on_text=on_text)
            except ModelError as error:
                if error.status in FINAL_STATUSES or attempt == TRIES:
                    raise
                self._store.note(self._problem, f"{error} (try {attempt} of {TRIES})")
                self._after_failure(error, attempt)
        raise AssertionError("unreachable")

    def _after_failure(self, error: ModelError, attempt: int) -> None:
        """Everybody waits after "too many requests" and "overloaded"; after anything else only this worker does."""
        if error.status in {429, 503}:
            seconds = self._backoff.refused(error.wait_s)
            self._notify(f"the model's server says {error.status}; all workers wait {seconds:.0f} s")
        else:
            self._backoff.sleep(self._backoff.first_s * 2 ** (attempt - 1) if error.wait_s is None else error.wait_s)
