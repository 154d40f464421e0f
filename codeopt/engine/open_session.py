"""The session of a single command: the language models that its options ask for, within the limits of a run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from codeopt.core.cache import open_cache
from codeopt.core.console import Console
from codeopt.core.errors import UsageError
from codeopt.core.model import NOTHING_USED, Budget, Ledger, Message, Model, Reply, Usage, estimate_tokens
from codeopt.core.options import ImproveOptions
from codeopt.core.run_clock import LimitReached, RunClock
from codeopt.core.session import Session
from codeopt.core.words import money

if TYPE_CHECKING:
    from codeopt.models import Price


def open_session(console: Console | None = None) -> Session:
    """Return a session that can open models and that caches evidence. console: of messages, None for no output."""
    return Session(console or Console(quiet=True), open_model=open_chosen_model, open_cache=open_cache)


# The proposer of a plan, kept to the workload: the built-in rules, or language models.


RULES = "rules"
DEFAULT_MODEL = "gpt-5"
OPENAI_URL = "https://api.openai.com/v1"
"""Server that is asked when none is named."""


def chosen_models(options: ImproveOptions) -> tuple[str, ...]:
    """Names of the language models that write the drafts, by name or because the environment has one set
    up. Empty: the built-in rules do. Raises UsageError for an empty name.
    """
    by_server = options.base_url or os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL")
    if options.model == RULES or not (options.model or by_server):
        return ()
    names = tuple(name.strip() for name in (options.model or DEFAULT_MODEL).split(","))
    if not all(names) or (RULES in names and len(names) > 1):
        raise UsageError(
            f"--model {options.model} has an empty name",
            hint="give names with commas between them, such as gpt-5,qwen3",
        )
    return names


def check_models(options: ImproveOptions) -> None:
    """Refuse, before anything is run, a model that could not be asked. Raises UsageError, ModelError."""
    if options.record is not None and options.record.exists() and not options.resume:
        raise UsageError(f"--record {options.record} exists", hint="name another file, or remove it")
    for name in chosen_models(options):
        _open(replace(options, model=name), lambda line: None, 2, {})


def open_chosen_model(options: ImproveOptions, notify: Callable[[str], None], max_retries: int = 2) -> Model:
    """Open the model, or the first of several, and record it if the options ask for it.

    Raises UsageError, ModelError.
    """
    from codeopt.models.replay import ReplyRecorder

    first, _, others = (options.model or DEFAULT_MODEL).partition(",")
    if others:
        notify(f"{options.model}: for this only {first.strip()} is asked")
    model = _open(replace(options, model=first.strip()), notify, max_retries, _user_prices())
    return model if options.record is None else ReplyRecorder(model, options.record)


def price_of(model: str, options: ImproveOptions) -> Price | None:
    """Return the price of a model by its own name. None if it is not known. Raises UsageError."""
    return {**_known_prices(options), **_user_prices()}.get(model)


def _open(
    options: ImproveOptions, notify: Callable[[str], None], max_retries: int, prices: Mapping[str, Price]
) -> Model:
    from codeopt.models import open_model

    return open_model(
        options.model or DEFAULT_MODEL,
        base_url=options.base_url,
        api_key_env=options.api_key_env,
        context_tokens=options.context_tokens,
        prices={**_known_prices(options), **prices},
        notify=notify,
        max_retries=max_retries,
    )


def _known_prices(options: ImproveOptions) -> dict[str, Price]:
    """Prices that genai-prices, if installed, knows for the model at this server: the same name elsewhere may be
    another model, or free."""
    from codeopt.models import Price

    try:
        from genai_prices import Usage, calc_price
    except ImportError:  # the extra `prices`
        return {}
    name, url = options.model or DEFAULT_MODEL, options.base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    asked = (Usage(input_tokens=1000), Usage(output_tokens=1000), Usage(input_tokens=1000, cache_read_tokens=1000))
    try:
        each = [float(calc_price(one, name, provider_api_url=url).total_price) * 1000 for one in asked]
    except LookupError:
        return {}
    return {name: Price(*each)}


def _user_prices() -> dict[str, Price]:
    """[prices."MODEL"] of the user's own file with input, output and, where it differs, cached in USD per million
    tokens.
    """
    from codeopt.core.flag import read_user_settings
    from codeopt.models import Price

    table, path = read_user_settings()
    found, prices = table.get("prices", {}), {}
    if not isinstance(found, dict):
        raise UsageError(f'{path}: prices is not a table, such as [prices."NAME"]')
    for name, price in found.items():
        try:
            cached = price.get("cached")
            prices[name] = Price(
                float(price["input"]), float(price["output"]), None if cached is None else float(cached)
            )
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise UsageError(f'{path}: [prices."{name}"] needs the numbers input and output') from error
    return prices


# Requests to language models within the limits of a run, and their progress: the model's name, how much has come.


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
                state = f"{self.name} is writing, about {chars // 4 + 1:,} tokens"
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
