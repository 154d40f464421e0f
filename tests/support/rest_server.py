"""A real HTTP server on this machine for tests of what speaks to a platform: JSON there and back, pages, rate limits.

What it answers is a function of the platform; see `github_server` and `gitlab_server`.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Call:
    """What a client sent."""

    method: str
    path: str
    query: dict[str, list[str]]
    headers: dict[str, str]
    """Names in lower case."""
    body: Any


class Refusal(Exception):
    """An answer that is an error."""

    def __init__(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        super().__init__(status)
        self.status, self.body, self.headers = status, body, headers or {}


@dataclass
class RestServer:
    """The server; a context manager. A platform overrides `answer`."""

    page: int = 2
    """Items a page: what does not follow the pages misses some."""
    calls: list[Call] = field(default_factory=list)
    limits: list[tuple[str, int, float]] = field(default_factory=list)
    """(method, status, seconds): the next request with that method meets a rate limit."""
    early: list[Call] = field(default_factory=list)
    """Requests that came before the time they were told to wait for."""
    _until: float = 0.0

    def answer(self, call: Call) -> Any:
        """The JSON; raises Refusal."""
        raise NotImplementedError

    def wrote(self, *methods: str) -> list[Call]:
        """The calls that change something, or those of `methods`."""
        return [call for call in self.calls if call.method in (methods or ("POST", "PUT", "PATCH", "DELETE"))]

    @property
    def url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _respond(self, call: Call) -> tuple[int, Any, dict[str, str]]:
        self.calls.append(call)
        if time.monotonic() < self._until:
            self.early.append(call)
        for limit in self.limits:
            if limit[0] == call.method:
                self.limits.remove(limit)
                self._until = time.monotonic() + limit[2] - 0.05
                words = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
                return limit[1], {"message": words}, {"Retry-After": f"{limit[2]:.0f}"}
        try:
            found = self.answer(call)
        except Refusal as refusal:
            return refusal.status, refusal.body, refusal.headers
        if call.method == "GET" and isinstance(found, list):
            return 200, *self._paged(call, found)
        return (204, None, {}) if found is None else (201 if call.method == "POST" else 200, found, {})

    def _paged(self, call: Call, items: Sequence[Any]) -> tuple[Any, dict[str, str]]:
        number = int(call.query.get("page", ["1"])[0])
        start = (number - 1) * self.page
        more = f'<{self.url}{call.path}?per_page=100&page={number + 1}>; rel="next"'
        return items[start : start + self.page], {"Link": more} if start + self.page < len(items) else {}


def _handler(server: RestServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = urlsplit(self.path)
            headers = {name.lower(): value for name, value in self.headers.items()}
            body = json.loads(data) if data else None
            call = Call(self.command, parts.path, parse_qs(parts.query), headers, body)
            status, found, more = server._respond(call)
            text = b"" if found is None else json.dumps(found).encode()
            self.send_response(status)
            for name, value in {**more, "Content-Length": str(len(text))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _answer

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
