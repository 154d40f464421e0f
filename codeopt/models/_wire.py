"""The bytes of a streamed chat completion -> the reply, with limits on its content and duration.

The client's own stream reader is not used. It waits through endless keep-alive comments and holds lines of any length
in memory. It also does not distinguish a complete reply from one whose connection was closed half-way.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from codeopt.core.errors import ModelError
from codeopt.core.sanitize import encodable
from codeopt.models._server import one_line, said

MAX_LINE_BYTES = 1_000_000
"""Most bytes of a line, and of a reply that is not streamed; a streamed piece of a reply takes about 300."""


@dataclass(frozen=True)
class ReplyLimits:
    """Limits at which an endless reply is cut."""

    chars: int
    """Most characters of the reply, the model's visible thinking included."""
    seconds: float
    """Time limit, seconds, from the moment the server begins to answer."""


@dataclass(frozen=True)
class TokenCounts:
    """The server's count of the tokens of one exchange."""

    read: int
    written: int
    cached: int = 0
    """Input tokens served from the provider's prompt cache; part of the input tokens."""


@dataclass(frozen=True)
class Received:
    """A reply as it came over the wire."""

    text: str
    cut: bool
    usage: TokenCounts | None
    """The server's token counts. None if it sends none."""
    model: str
    """The server's name for the model. Empty if it sends none."""
    full: bool = False
    """The reply was cut at the server's own limit for one answer."""


class BrokenReply(ModelError):
    """The connection ended, or no more came, before the reply was complete: another request may get all of it."""


class Reader:
    """Reads one reply. `chars` is how much has come so far, `complete` whether the server has said that it is done.

    `blank` takes secrets out of the server's own words before they are shown in an error.
    """

    def __init__(self, limits: ReplyLimits, on_text: Callable[[str], None] | None, blank: Callable[[str], str]) -> None:
        self._limits = limits
        self._on_text = on_text
        self._blank = blank
        self._parts: list[str] = []
        self._thoughts: list[str] = []
        self._other = bytearray()
        self._finish = ""
        self._usage: TokenCounts | None = None
        self._model = ""
        self._answered = False
        self._ended = False
        self._late = False
        self.chars = 0

    @property
    def complete(self) -> bool:
        """Return whether the server has given its reason to stop, or the mark at the end of a stream."""
        return self._ended or bool(self._finish)

    @property
    def _over(self) -> bool:
        return self.chars > self._limits.chars

    def read(self, chunks: Iterator[bytes]) -> None:
        """Take bytes until the reply ends or meets a limit.

        Raises ModelError when they are no chat completion.
        """
        for line in _lines(self._until_late(chunks)):
            if self._late or self._ended or self._over:
                break
            # an event, a comment, or something else, which may be a reply that is not streamed
            field, _, value = line.partition(b":")
            if field == b"data" and value.strip() == b"[DONE]":
                self._ended = True
            elif field == b"data":
                self._take_completion(_json(value), "delta")
            elif field not in {b"", b"event", b"id", b"retry"} and not self._parts:
                self._other += line + b"\n"
            if len(self._other) > MAX_LINE_BYTES:
                raise _garbage()

    def received(self) -> Received:
        """Return the reply. Raises ModelError if it is missing or incomplete."""
        if self._other and not self._parts and not self.complete:
            # in one piece, from a server that does not stream
            self._take_completion(_json(bytes(self._other)), "message")
            self._ended = True
        text = "".join(self._parts)
        if not text and self._finish == "stop":  # a server that takes all that a model writes for thoughts
            text = "".join(self._thoughts)
        if not text and (self._over or self._late):
            raise ModelError("the model's server sent no text within the limits for one reply")
        if not text and self._finish == "content_filter":
            raise ModelError("the content filter of the model's server stopped the reply")
        if not self._answered:
            raise ModelError("the model's server sent an empty reply")
        if not (self._over or self._late or self.complete):
            raise BrokenReply(f"the model's server broke off after {self.chars} characters of its reply")
        stopped = self._over or not self.complete
        full = not stopped and self._finish == "length"
        return Received(text, stopped or full, self._usage, self._model, full)

    def _until_late(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        """`chunks` until the time for the whole reply is over."""
        deadline = time.monotonic() + self._limits.seconds
        for chunk in chunks:
            yield chunk
            if time.monotonic() > deadline:
                self._late = True
                return

    def _take_completion(self, data: Any, inner: str) -> None:
        if not isinstance(data, dict):
            raise _garbage()
        if data.get("error"):
            raise ModelError(f"the model's server gave up: {one_line(self._blank(said(data)))}")
        self._usage = _usage(data.get("usage")) or self._usage
        self._model = str(data.get("model") or self._model)[:200]
        for choice in data.get("choices") or []:
            if not isinstance(choice, dict) or not isinstance(choice.get(inner) or {}, dict):
                raise _garbage()
            message = choice.get(inner) or {}
            self._answered = True
            self._finish = str(choice.get("finish_reason") or self._finish)
            thought = str(message.get("reasoning_content") or message.get("reasoning") or "")
            self.chars += len(thought)
            self._thoughts.append(thought)
            text = message.get("content") or message.get("refusal")
            if isinstance(text, str) and text:
                self.chars += len(text)
                self._parts.append(text)
                if self._on_text is not None:
                    self._on_text(encodable(text))


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """The lines in a stream of bytes. An event without its line end was cut: left out, as the SSE standard says."""
    rest = bytearray()
    for chunk in chunks:
        rest += chunk
        if b"\n" in chunk:
            *lines, last = rest.split(b"\n")
            yield from (bytes(line.rstrip(b"\r")) for line in lines)
            rest = bytearray(last)
        if len(rest) > MAX_LINE_BYTES:
            raise _garbage()
    if not rest.startswith(b"data:"):
        yield bytes(rest)


def _json(text: bytes) -> Any:
    """The JSON value of a text; an invalid UTF-8 byte costs its character, not the reply."""
    try:
        return json.loads(text.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        raise _garbage() from None


def _usage(usage: Any) -> TokenCounts | None:
    """Tokens in and out, None unless both are counts."""
    if not isinstance(usage, dict):
        return None
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not (isinstance(tokens_in, int) and isinstance(tokens_out, int)):
        return None
    details = usage.get("prompt_tokens_details")  # OpenAI's and those like it; else DeepSeek's field
    found = details.get("cached_tokens") if isinstance(details, dict) else usage.get("prompt_cache_hit_tokens")
    cached = found if isinstance(found, int) and found > 0 else 0
    return TokenCounts(max(tokens_in, 0), max(tokens_out, 0), min(cached, max(tokens_in, 0)))


def _garbage() -> ModelError:
    hint = "check that the base URL is right (.../v1)"
    return ModelError("the model's server sent something that is not a chat completion", hint=hint)
