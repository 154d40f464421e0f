"""What a language model is to those who ask it: messages, replies, and how several are had."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from typing import Literal, Protocol

from codeopt.core.budget import Usage
from codeopt.core.errors import ModelError
from codeopt.core.sanitize import encodable


@dataclass(frozen=True)
class AnswerSchema:
    """An answer that is wanted as a JSON object of texts."""

    name: str
    fields: tuple[tuple[str, str], ...]
    """Each with what it is to hold."""

    def json_schema(self) -> dict[str, object]:
        """As JSON Schema, every field required and no other allowed."""
        properties = {name: {"type": "string", "description": about} for name, about in self.fields}
        required = [name for name, _ in self.fields]
        return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str
    schema: AnswerSchema | None = None
    """Of the answer to this turn, for a server that holds its model to one; the words ask for the same."""


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
    """As the server names it, which may be more exact than what was asked for."""
    cut: bool = False
    """The reply is not whole: it met the server's length limit, or ours."""
    estimated: bool = False
    """The server did not count the tokens; they, and the cost, are estimates."""
    tokens_cached: int = 0
    """Of those in: what the server had read before."""
    can_go_on: bool = False
    """It was cut at the server's limit for one answer, and can be asked to go on."""

    def __post_init__(self) -> None:
        """Whoever answers, a reply is text that can be encoded: JSON can hold half a character."""
        object.__setattr__(self, "text", encodable(self.text))
        object.__setattr__(self, "model", encodable(self.model))

    @property
    def usage(self) -> Usage:
        """What it took."""
        return Usage(
            1, self.tokens_in, self.tokens_out, self.cost_usd, self.estimated, self.tokens_cached, self.seconds
        )


class Model(Protocol):
    """Anything that answers a conversation. Raises codeopt.core.errors.ModelError and nothing else of its own.

    One that can answer several times at once also has `several(messages, count)`, see `replies`.
    """

    name: str
    context_tokens: int
    """How many tokens prompt and answer may take together."""

    def complete(self, messages: Sequence[Message], *, on_text: Callable[[str], None] | None = None) -> Reply:
        """Answer `messages`; `on_text` receives the text as it arrives."""
        ...


def replies(model: Model, messages: Sequence[Message], count: int) -> Iterator[Reply]:
    """Several answers to the same messages, each as soon as it is there: at once where the model can, else one after
    the other. Raises ModelError where one fails; what came before it was given out."""
    several = getattr(model, "several", None)
    if several is not None:
        yield from several(messages, count)
    else:
        for _ in range(count):
            yield model.complete(messages)


AT_ONCE = 8
"""Requests of one proposer at the same time, at most."""


def at_once(ask: Callable[[], Reply], count: int) -> Iterator[Reply]:
    """So many answers, asked for at the same time, each as soon as it is whole. Raises ModelError after the others when
    one fails."""
    failed: ModelError | None = None
    with ThreadPoolExecutor(min(count, AT_ONCE)) as threads:
        for answered in as_completed([threads.submit(ask) for _ in range(count)]):
            try:
                yield answered.result()
            except ModelError as error:
                failed = error
    if failed:
        raise failed


def estimate_tokens(text: str) -> int:
    """About how many tokens `text` takes: a third of its UTF-8 bytes, on the high side for English and for code."""
    return len(text.encode("utf-8", "replace")) // 3 + 1
