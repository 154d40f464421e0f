"""Progress while a language model is awaited: its name, the seconds, how much it has written, the cost so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from codeopt.core.budget import Usage
from codeopt.core.console import Console
from codeopt.core.model import Message, Model, Reply, replies
from codeopt.core.options import ImproveOptions
from codeopt.core.words import money

CHARS_PER_TOKEN = 4

OpenModel = Callable[[ImproveOptions, Callable[[str], None]], Model]


@dataclass
class Account:
    """The cost of all models of a run so far."""

    usage: Usage

    @property
    def words(self) -> str:
        """`; 9,400 tokens, 0.0310 USD so far`; empty before the first reply."""
        if not self.usage.replies:
            return ""
        return f"; {self.usage.tokens:,} tokens, {money(self.usage.cost_usd)} so far"


@dataclass
class _Request:
    """One request under way."""

    name: str
    account: Account
    began: float = field(default_factory=time.monotonic)
    chars: int = 0
    """Characters of the reply that have come."""

    def words(self) -> str:
        """`waiting for gpt-5, 12 s`, or how much of the reply is there."""
        if self.chars:
            state = f"{self.name} is writing, about {self.chars // CHARS_PER_TOKEN + 1:,} tokens"
        else:
            state = f"waiting for {self.name}, {time.monotonic() - self.began:.0f} s"
        return state + self.account.words


class AwaitedModel:
    """A model whose requests are shown as progress."""

    def __init__(self, model: Model, console: Console, account: Account) -> None:
        self.name = model.name
        self.context_tokens = model.context_tokens
        self._model, self._console, self._account = model, console, account

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer as the model does, and show the state of the request. Raises ModelError."""
        request = self._shown()

        def seen(text: str) -> None:
            request.chars += len(text)
            self._console.awaiting(request.words)
            if on_text:
                on_text(text)

        return self._paid(self._model.complete(messages, on_text=seen))

    def several(self, messages: Sequence[Message], count: int) -> Iterator[Reply]:
        """Answer several times as the model does, and show that. Raises ModelError."""
        self._shown()
        yield from map(self._paid, replies(self._model, messages, count))

    def _shown(self) -> _Request:
        request = _Request(self.name, self._account)
        self._console.awaiting(request.words)
        return request

    def _paid(self, reply: Reply) -> Reply:
        self._account.usage += reply.usage
        return reply


def awaited(open_model: OpenModel, console: Console, earlier: Usage) -> OpenModel:
    """An opener of models whose requests are shown. earlier: cost of the run's earlier sessions."""
    account = Account(earlier)
    return lambda options, notify: AwaitedModel(open_model(options, notify), console, account)
