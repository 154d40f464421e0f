"""The interface of a language model: messages and replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from codeopt.core.budget import Usage
from codeopt.core.screen import encodable


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
        ...


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
        ...


def estimate_tokens(text: str) -> int:
    """Estimated number of tokens in `text`: a third of its UTF-8 bytes, on the high side for English and for code."""
    return len(text.encode("utf-8", "replace")) // 3 + 1
