"""What the test server does with one request: good answers, and everything that goes wrong with real servers."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

HANG_S = 60.0
"""A hanging request is let go after this time at the latest, should nobody close the server."""


@dataclass(frozen=True)
class Request:
    """What a client sent."""

    method: str
    path: str
    headers: dict[str, str]
    """Names in lower case."""
    body: Any
    """The JSON, None when there was none."""

    @property
    def prompt(self) -> str:
        """The contents of all messages, one after the other."""
        return "\n".join(message["content"] for message in self.body["messages"])


@dataclass(frozen=True)
class Exchange:
    """One request and the means to answer it."""

    request: Request
    model: str
    closing: threading.Event
    _handler: BaseHTTPRequestHandler

    def send(self, status: int, body: bytes, content_type: str, headers: Mapping[str, str] | None = None) -> None:
        """A response in one piece."""
        self._start(status, {"Content-Type": content_type, "Content-Length": str(len(body)), **(headers or {})})
        self._handler.wfile.write(body)

    def send_json(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> None:
        """A JSON response."""
        self.send(status, json.dumps(body).encode(), "application/json", headers)

    def stream(self, events: Iterable[bytes], *, whole: bool = True) -> None:
        """Server-sent events, each flushed at once; without the last HTTP chunk when not `whole`."""
        self._start(200, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        for event in events:
            self._handler.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
            self._handler.wfile.flush()
        if whole:
            self._handler.wfile.write(b"0\r\n\r\n")

    def _start(self, status: int, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()


@dataclass(frozen=True)
class Step:
    """What the server does with one request."""

    play: Callable[[Exchange], None]


StepLike = str | Step | Callable[[Any], "str | Step"]


def answer(text: str, *, usage: bool = True, finish: str = "stop", thinking: str = "") -> Step:
    """A complete answer, streamed when the request asks for it. `usage`: the server counts tokens."""

    def play(exchange: Exchange) -> None:
        counts = _usage(exchange.request, text) if usage else None
        if not exchange.request.body.get("stream"):
            exchange.send_json(200, _completion(exchange.model, text, finish, counts))
            return
        wanted = (exchange.request.body.get("stream_options") or {}).get("include_usage")
        last = [_event(exchange.model, choices=[], usage=counts)] if counts and wanted else []
        thought = [_delta(exchange.model, reasoning_content=thinking)] if thinking else []
        end = [_delta(exchange.model, finish), *last, b"data: [DONE]\n\n"]
        exchange.stream([*thought, *_deltas(exchange.model, text), *end])

    return Step(play)


def slowly(text: str, *, first_s: float, piece_s: float) -> Step:
    """A complete answer whose first piece comes after some seconds, and each other one after a pause."""

    def pieces(exchange: Exchange) -> Iterator[bytes]:
        exchange.closing.wait(first_s)
        for delta in _deltas(exchange.model, text):
            yield delta
            exchange.closing.wait(piece_s)
        yield _delta(exchange.model, "stop")
        yield _event(exchange.model, choices=[], usage=_usage(exchange.request, text))
        yield b"data: [DONE]\n\n"

    return Step(lambda exchange: exchange.stream(pieces(exchange)))


def unstreamed(text: str) -> Step:
    """A complete answer as plain JSON, though a stream was asked for."""
    return Step(lambda x: x.send_json(200, _completion(x.model, text, "stop", _usage(x.request, text))))


def status(code: int, message: str = "", *, retry_after: str = "0.001") -> Step:
    """An error status; `retry_after` in seconds keeps the client's retries short."""
    error = {"error": {"message": message or f"status {code}", "type": "error", "code": None}}
    return Step(lambda x: x.send_json(code, error, {"Retry-After": retry_after}))


def refuse_stream_options() -> Step:
    """Status 400 for a request with stream_options, as old servers give."""
    return status(400, "Unrecognized request argument supplied: stream_options")


def cut(text: str, *, after: int, clean: bool = False) -> Step:
    """The connection ends after `after` pieces of the answer; `clean`: with a proper end of the HTTP body."""
    return Step(lambda x: x.stream(itertools.islice(_deltas(x.model, text), after), whole=clean))


def error_event(message: str, *, text: str = "") -> Step:
    """An error in the middle of the stream, after `text`."""
    event = b"data: " + json.dumps({"error": {"message": message}}).encode() + b"\n\n"
    return Step(lambda x: x.stream([*_deltas(x.model, text), event]))


def events(*lines: str) -> Step:
    """These very lines as a stream, an empty line after each."""
    return Step(lambda x: x.stream([line.encode() + b"\n\n" for line in lines]))


def garbage(body: bytes = b"<html>\x00\xff not a model</html>", content_type: str = "text/html") -> Step:
    """Status 200 and bytes that are no chat completion."""
    return Step(lambda x: x.send(200, body, content_type))


def endless(text: str = "and so on ") -> Step:
    """An answer without an end."""
    return Step(lambda x: x.stream(_while_open(x, _delta(x.model, content=text))))


def endless_comments() -> Step:
    """Keep-alive comments and no answer."""
    return Step(lambda x: x.stream(_while_open(x, b": still thinking\n\n")))


def endless_line() -> Step:
    """One event that never ends."""
    return Step(lambda x: x.stream(itertools.chain([b"data: "], _while_open(x, b"x" * 10_000))))


def hang(text: str = "") -> Step:
    """Silence, after `text` when there is one, until the server is closed."""

    def events_then_silence(exchange: Exchange) -> Iterator[bytes]:
        yield from _deltas(exchange.model, text)
        exchange.closing.wait(HANG_S)

    def play(exchange: Exchange) -> None:
        if text:
            exchange.stream(events_then_silence(exchange), whole=False)
        else:
            exchange.closing.wait(HANG_S)

    return Step(play)


def _while_open(exchange: Exchange, event: bytes) -> Iterator[bytes]:
    while not exchange.closing.is_set():
        yield event


def _deltas(model: str, text: str) -> Iterator[bytes]:
    """The text in pieces of a few characters, as models write."""
    for start in range(0, len(text), 8):
        yield _delta(model, content=text[start : start + 8])


def _delta(model: str, finish: str | None = None, **delta: str) -> bytes:
    return _event(model, choices=[{"index": 0, "delta": delta, "finish_reason": finish}])


def _event(model: str, **fields: object) -> bytes:
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 0, "model": model, **fields}
    return b"data: " + json.dumps(event).encode() + b"\n\n"


def _completion(model: str, text: str, finish: str, usage: object) -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    completion = {"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": model, "choices": [choice]}
    return {**completion, "usage": usage} if usage else completion


def _usage(request: Request, text: str) -> dict[str, int]:
    """One token a word: easy to check in a test."""
    tokens_in, tokens_out = len(request.prompt.split()), len(text.split())
    return {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
