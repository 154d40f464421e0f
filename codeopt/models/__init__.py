"""Language models: one backend a file, each a class with a name and `complete`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Reply:
    """What a model answered and what it cost."""

    text: str
    tokens_in: int
    tokens_out: int
    cost_usd: float | None
    """None: the price is not known (never 0 for unknown)."""
    seconds: float
    model: str
    cut: bool = False
    """The server stopped at its length limit."""


class Model(Protocol):
    """Anything that answers a conversation. Raises codeopt.errors.ModelError and nothing else of its own."""

    name: str
    context_tokens: int
    """How many tokens prompt and answer may take together."""

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer `messages`; `on_text` receives the text as it arrives."""
        ...
