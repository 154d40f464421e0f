"""Requests to language models within the limits of a run, and their progress: the model's name, how much has come."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeopt.core.budget import NOTHING_USED, Budget, Ledger, Usage
from codeopt.core.console import Console
from codeopt.core.model import Message, Model, Reply, estimate_tokens
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import LimitReached, RunClock
from codeopt.core.words import money
from codeopt.engine.open_session import price_of
from codeopt.models import Price

CHARS_PER_TOKEN = 4

OpenModel = Callable[[ImproveOptions, Callable[[str], None]], Model]


@dataclass
class Account:
    """The cost of all models of a run so far, and what their next requests may cost."""

    budget: Budget
    ledger: Ledger
    longest: Usage = NOTHING_USED
    """Output of the reply that cost most: nobody knows how long the next one is."""

    @property
    def words(self) -> str:
        """`; 9,400 tokens, 0.0310 USD so far`; empty before the first reply."""
        usage = self.ledger.usage
        return f"; {usage.tokens:,} tokens, {money(usage.cost_usd)} so far" if usage.replies else ""

    def require_affordable(self, messages: Sequence[Message], price: Price | None) -> None:
        """Raise LimitReached for a request that would exceed a limit.

        It is taken to have the price of its prompt and that of the longest reply so far.
        """
        prompt = sum(estimate_tokens(message.content) for message in messages)
        wanted = self.longest + Usage(0, prompt, 0, price.cost(prompt, 0) if price else 0.0)
        if reached := self.ledger.reached(self.budget, wanted):
            raise LimitReached(self.ledger.spent(self.budget, wanted), reached)

    def paid(self, reply: Reply, price: Price | None) -> None:
        """Add a reply to the account."""
        self.ledger = self.ledger.add(reply.usage)
        cost = reply.cost_usd or 0.0
        output = price.cost(0, reply.tokens_out) if price else cost
        if output >= (self.longest.cost_usd or 0.0):
            self.longest = Usage(0, 0, max(reply.tokens_out, self.longest.tokens_out), output)


class AwaitedModel:
    """A model whose requests are shown as progress, and never exceed a limit of the run.

    What a request may cost is asked before it is sent. At the deadline it is given up. Either raises LimitReached.
    """

    def __init__(self, model: Model, console: Console, account: Account, clock: RunClock, price: Price | None) -> None:
        self.name, self.context_tokens = model.name, model.context_tokens
        self._model, self._console, self._account = model, console, account
        self._clock, self._price = clock, price

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer as the model does. Raises ModelError, LimitReached."""
        self._account.require_affordable(messages, self._price)
        began, chars = time.monotonic(), 0

        def words() -> str:
            """`waiting for gpt-5, 12 s`, or how much of the reply is there."""
            if chars:
                state = f"{self.name} is writing, about {chars // CHARS_PER_TOKEN + 1:,} tokens"
            else:
                state = f"waiting for {self.name}, {time.monotonic() - began:.0f} s"
            return state + self._account.words

        self._console.awaiting(words)

        def ask(give: Callable[[str | Reply], None]) -> None:
            give(self._model.complete(messages, on_text=give))

        for item in self._clock.awaited(ask):
            if isinstance(item, Reply):
                self._account.paid(item, self._price)
                return item
            chars += len(item)
            self._console.awaiting(words)
            if on_text:
                on_text(item)
        raise AssertionError  # a reply or an error is the last item


def awaited(open_model: OpenModel, console: Console, account: Account, clock: RunClock) -> OpenModel:
    """An opener of models whose requests are shown and kept within the limits."""

    def opened(options: ImproveOptions, notify: Callable[[str], None]) -> Model:
        model = open_model(options, notify)
        return AwaitedModel(model, console, account, clock, price_of(model.name, options))

    return opened
