"""A real HTTP server on this machine that speaks the OpenAI protocol and does what a script says, bad things too.

    with WireServer(["first answer", status(429), lambda request: f"{len(request['messages'])} messages"]) as server:
        model = open_model("any-name", base_url=server.base_url)

One step is used for each POST to /v1/chat/completions; `check` answers those without a message. A step is an answer's
text, one of those in `wire_steps`, or a callable that gets the request's JSON and returns either; a callable in place
of the list answers every request.
"""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import pytest

from tests.support.wire_steps import Exchange, Request, Step, StepLike, answer, status


class WireServer:
    """The server; a context manager. Listens from the start, on a free port of the loopback interface."""

    def __init__(
        self,
        steps: Sequence[StepLike] | Callable[[Any], str | Step],
        *,
        model: str = "wire-model-1",
        check: Step | None = None,
    ) -> None:
        self._check = check or status(400, "messages: [] is too short")
        self.model = model
        """How the server calls its model, and the only one that GET /v1/models lists."""
        self.requests: list[Request] = []
        """The chat completions that were asked for, in order."""
        self.lookups: list[Request] = []
        """Every other request."""
        self._steps = itertools.repeat(steps) if callable(steps) else iter(steps)
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler_class())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self._http.server_port}/v1"

    @property
    def prompts(self) -> list[str]:
        """The text of each request, for tests that look for words in it."""
        return [request.prompt for request in self.requests]

    def close(self) -> None:
        """Let hanging requests go and stop listening."""
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> WireServer:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def _serve(self, request: Request, handler: BaseHTTPRequestHandler) -> None:
        exchange = Exchange(request, self.model, self._closing, handler)
        asks = request.method == "POST" and request.path == "/v1/chat/completions"
        if asks and request.body["messages"]:
            self._next_step(request).play(exchange)
            return
        self.lookups.append(request)
        if asks:
            self._check.play(exchange)
        elif request.method == "GET" and request.path == "/v1/models":
            exchange.send_json(200, {"object": "list", "data": [{"id": self.model, "object": "model"}]})
        else:
            exchange.send_json(404, {"error": {"message": f"no {request.path} here"}})

    def _next_step(self, request: Request) -> Step:
        with self._lock:
            self.requests.append(request)
            step = next(self._steps, None)
            if callable(step):
                step = step(request.body)
        if step is None:
            return status(422, f"the script of the test server ended before request {len(self.requests)}")
        return answer(step) if isinstance(step, str) else step

    def _handler_class(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.answer()

            def do_POST(self) -> None:
                self.answer()

            def answer(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Request(self.command, self.path, headers, json.loads(body) if body else None)
                self.close_connection = True
                try:
                    server._serve(request, self)
                except (BrokenPipeError, ConnectionResetError):
                    return  # the client gave up, which is what some steps are for

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


@pytest.fixture
def wire() -> Iterator[Callable[..., WireServer]]:
    """Starts servers for a test, `wire([...steps])`, and closes them after it."""
    servers: list[WireServer] = []

    def start(steps: Sequence[StepLike] | Callable[[Any], str | Step], **settings: Any) -> WireServer:
        servers.append(WireServer(steps, **settings))
        return servers[-1]

    yield start
    for server in servers:
        server.close()
