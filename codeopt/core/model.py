"""The interface of a language model: messages and replies; and what they cost, within the limits of a run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, field, replace
from typing import Literal, Protocol, runtime_checkable

from codeopt.core.errors import UsageError
from codeopt.core.sanitize import encodable


@dataclass(frozen=True)
class AnswerSchema:
    """The wanted form of an answer: a JSON object of texts."""

    name: str
    fields: tuple[tuple[str, str], ...]
    """Name and description of each field."""

    def json_schema(self) -> dict[str, object]:
        """Return the JSON Schema: every field is required, and only these are allowed."""
        properties = {name: {"type": "string", "description": about} for name, about in self.fields}
        required = [name for name, _ in self.fields]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    schema: AnswerSchema | None = None
    """Schema of the answer to this turn, for a server that enforces schemas. The turn asks for the same in words."""


@dataclass(frozen=True)
class Reply:
    """A model's answer and its cost."""

    text: str
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """Price in USD. None if it is not known (never 0 for unknown)."""
    seconds: float
    model: str
    """Name of the model as the server reports it, which may be more exact than the name that was asked for."""
    cut: bool = False
    """The reply is incomplete: it met the server's length limit, or codeopt's."""
    estimated: bool = False
    """True if the server did not count the tokens. They, and the cost, are estimates then."""
    tokens_cached: int = 0
    """Input tokens served from the provider's prompt cache. They are part of `tokens_in`."""
    can_go_on: bool = False
    """True if the reply was cut at the server's limit for one answer and the model can continue it."""

    def __post_init__(self) -> None:
        """Repair halves of characters, which JSON can hold and no file can: every reply can be encoded."""
        object.__setattr__(self, "text", encodable(self.text))
        object.__setattr__(self, "model", encodable(self.model))

    @property
    def usage(self) -> Usage:
        """The usage of this one reply."""
        return Usage(
            1, self.tokens_in, self.tokens_out, self.cost_usd, self.estimated, self.tokens_cached, self.seconds
        )


@runtime_checkable
class RemoteModel(Protocol):
    """A model behind a server that can be asked beforehand whether it would answer."""

    def require_reachable(self) -> None:
        """Ask the server. Raises ModelError where a request would be refused or reach nobody."""


class Model(Protocol):
    """A backend that answers a conversation. Raises codeopt.core.errors.ModelError and nothing else of its own."""

    name: str
    context_tokens: int
    """Context window, tokens: prompt and answer together."""

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer a conversation.

        Args:
            messages: The conversation, oldest first.
            on_text: Called with each part of the answer as it arrives.

        Raises:
            ModelError: The server cannot be used.
        """


def estimate_tokens(text: str) -> int:
    """Estimated number of tokens in `text`: a third of its UTF-8 bytes, on the high side for English and for code."""
    return len(text.encode("utf-8", "replace")) // 3 + 1


# Limits on the cost of an improvement, and the account of its cost so far.


@dataclass(frozen=True)
class Budget:
    """Limits of a run: the first one reached ends it, None sets no limit. Raises UsageError for a negative one."""

    rounds: int | None = None
    """Drafts that are judged."""
    seconds: float | None = None
    """Wall-clock seconds, including the earlier sessions of a resumed run."""
    cost_usd: float | None = None

    @property
    def out_of_time(self) -> str:
        """The limit of time in plain words."""
        seconds = self.seconds or 0.0
        return f"the time limit of {round(seconds, 1) if seconds >= 1 else seconds:g} s is reached"

    def raised(self, name: str) -> str:
        """Return the flag that doubles a limit, by the limit's field."""
        flag = {"rounds": "-n", "seconds": "--max-seconds", "cost_usd": "--max-cost"}[name]
        return f"{flag} {2 * vars(self)[name]:g}"

    def __post_init__(self) -> None:
        for name, limit in vars(self).items():
            if limit is not None and not limit >= 0:
                raise UsageError(f"the limit of {name} cannot be {limit}", hint="give 0 or more, or leave it out")


@dataclass(frozen=True)
class Usage:
    """Tokens, money and time that replies of a language model took."""

    replies: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost_usd: float | None = 0.0
    """Price in USD. None if it is not known (never 0 for unknown)."""
    estimated: bool = False
    """At least one server did not count its tokens, so these are estimates."""
    tokens_cached: int = 0
    """Input tokens served from the provider's prompt cache. They are part of `tokens_in`."""
    seconds: float = 0.0
    """Time from each request to the last word of its reply, seconds, added up."""

    @property
    def tokens(self) -> int:
        """Input and output tokens together."""
        return self.tokens_in + self.tokens_out

    def __add__(self, other: Usage) -> Usage:
        known = self.cost_usd is not None and other.cost_usd is not None
        return Usage(
            self.replies + other.replies,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            (self.cost_usd or 0.0) + (other.cost_usd or 0.0) if known else None,
            self.estimated or other.estimated,
            self.tokens_cached + other.tokens_cached,
            self.seconds + other.seconds,
        )


NOTHING_USED = Usage()


@dataclass(frozen=True)
class Effort:
    """Tokens and wall-clock seconds of one draft, by step, without the waits for a core."""

    tokens_in: int = 0
    """Input tokens, including those of the critique."""
    tokens_out: int = 0
    tokens_cached: int = 0
    model_s: float = 0.0
    cases_s: float = 0.0
    """Time for cases, fuzzed inputs and tests, seconds."""
    timing_s: float = 0.0
    """Time for pairs with the original, with other drafts, and without each of the changes, seconds."""
    profile_s: float = 0.0

    def asked(self, usage: Usage) -> Effort:
        """The sum of this effort and a model's usage."""
        return self + Effort(usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.seconds)

    def __add__(self, other: Effort) -> Effort:
        return Effort(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def to_json(self) -> dict[str, float]:
        """Return the fields by name, with seconds rounded to milliseconds."""
        return {name: round(value, 3) for name, value in asdict(self).items()}


@dataclass(frozen=True)
class Ledger:
    """The account of a run. Immutable: `ledger = ledger.add(usage)`."""

    rounds: int = 0
    usage: Usage = NOTHING_USED
    """All replies together."""
    earlier_s: float = 0.0
    """Wall-clock seconds of the sessions before this one, if a run is resumed."""
    started: float = field(default_factory=time.monotonic)
    """Start of this session, by `time.monotonic()`."""
    steps: Mapping[str, float] = field(default_factory=dict)
    """Seconds of the steps that belong to no draft, by name: `baseline`, `confirmation`."""

    @property
    def seconds(self) -> float:
        """Return the wall-clock seconds of all sessions until now."""
        return self.earlier_s + time.monotonic() - self.started

    def add(self, usage: Usage) -> Ledger:
        """A ledger with the usage of further replies."""
        return replace(self, usage=self.usage + usage)

    def took(self, steps: Mapping[str, float]) -> Ledger:
        """A ledger with further seconds of steps."""
        names = dict.fromkeys([*self.steps, *steps])
        return replace(self, steps={name: self.steps.get(name, 0.0) + steps.get(name, 0.0) for name in names})

    def reached(self, budget: Budget, wanted: Usage = NOTHING_USED) -> str:
        """Return the first limit of a budget that is reached, by its field. Empty while all leave something.

        A limit of money cannot be held without a price. Then it counts as reached after the first reply.
        wanted: estimated usage of requests that are under way or would be sent.
        """
        usage = self.usage + wanted
        cost = math.inf if usage.cost_usd is None else usage.cost_usd
        used = {"rounds": self.rounds, "seconds": self.seconds, "cost_usd": cost}
        return next((name for name, limit in vars(budget).items() if limit is not None and used[name] >= limit), "")

    def spent(self, budget: Budget, wanted: Usage = NOTHING_USED) -> str:
        """Return the limit that is reached, in plain words. Empty while all limits leave something.

        wanted: as for `reached`.
        """
        reached = self.reached(budget, wanted)
        if reached == "rounds":
            return f"the limit of {budget.rounds} round{'s' * (budget.rounds != 1)} is reached"
        if reached == "seconds":
            return budget.out_of_time
        if not reached:
            return ""
        if self.usage.cost_usd is None:
            return (
                f"the limit of {budget.cost_usd:g} USD cannot be held, as the price of the model is not known; "
                "give it in [prices] of your config.toml, or install genai-prices"
            )
        more = f", the next request costs about {wanted.cost_usd:.4f} USD" if wanted.cost_usd else ""
        return f"the limit of {budget.cost_usd:g} USD is reached ({self.usage.cost_usd:.4f} USD spent{more})"

    def paused(self) -> Ledger:
        """A ledger in which all seconds until now are of earlier sessions, as it is saved."""
        return replace(self, earlier_s=self.seconds, started=time.monotonic())

    def resumed(self) -> Ledger:
        """A saved ledger whose clock continues from now."""
        return replace(self, started=time.monotonic())
