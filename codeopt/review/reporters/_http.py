"""The few requests that a reporter makes: JSON there and back, rate limits waited for, the token never in a message."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from codeopt.core.sanitize import log_line
from codeopt.core.version import __version__

if TYPE_CHECKING:
    import httpx2

TRIES = 4
PATIENCE_S = 180.0
"""The longest wait that is worth it; a primary rate limit may ask for an hour."""
SECONDARY_S = 60.0
"""Seconds to wait, as GitHub asks, where it names no time."""
PAGES = 50


class ApiError(Exception):
    """The platform did not do what was asked, or cannot be reached; one line.

    status: the HTTP status, 0 without an answer.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


def secret(environ: Mapping[str, str], *names: str) -> str:
    """The first token that is set. Raises ApiError for none, and for one that no header can carry."""
    for name in names:
        token = environ.get(name, "").strip()
        if token and token.isascii() and token.isprintable() and " " not in token:
            return token
        if token:
            raise ApiError(f"the token in {name} has a character that no token can have")
    raise ApiError(f"there is no token ({' or '.join(names)})")


@dataclass(frozen=True)
class Api:
    """A platform's REST API; a context manager."""

    base_url: str
    headers: Mapping[str, str] = field(repr=False)
    _client: list[httpx2.Client] = field(default_factory=list, repr=False)

    def __enter__(self) -> Self:
        import httpx2

        headers = {"User-Agent": f"codeopt/{__version__}", **self.headers}
        self._client.append(httpx2.Client(headers=headers, timeout=30.0))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.pop().close()

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer's JSON, None where it has none. Raises ApiError."""
        response = self._patiently(method, self.base_url.rstrip("/") + path, body)
        return _json(response) if response.content else None

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Every object of a list, whatever number of pages it takes. Raises ApiError."""
        url = f"{self.base_url.rstrip('/')}{path}?per_page=100"
        for _ in range(PAGES):
            response = self._patiently("GET", url, None)
            yield from (item for item in _json(response) or () if isinstance(item, dict))
            url = str(response.links.get("next", {}).get("url", ""))
            if not url or not _same_server(url, self.base_url):
                return

    def _patiently(self, method: str, url: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        """The response, after waiting as the server asks. Raises ApiError."""
        for tried in range(1, TRIES + 1):
            response = self._send(method, url, body)
            wait = _wait(response, method, tried)
            if wait is None or wait > PATIENCE_S or tried == TRIES:
                break
            time.sleep(wait)
        if response.is_success:
            return response
        raise ApiError(f"{_host(url)} answers {method} with status {response.status_code}{_words(response)}",
                       response.status_code)  # fmt: skip

    def _send(self, method: str, url: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        import httpx2

        try:
            return self._client[0].request(method, url, json=body)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ApiError(f"cannot reach {_host(url)} ({type(error).__name__})") from None


def _wait(response: httpx2.Response, method: str, tried: int) -> float | None:
    """Seconds to wait before the request is made again; None where that is of no use."""
    status, headers = response.status_code, response.headers
    if status in {403, 429}:
        after = headers.get("retry-after", "")
        if after.isdecimal():
            return float(after)
        if headers.get("x-ratelimit-remaining") == "0" and headers.get("x-ratelimit-reset", "").isdecimal():
            return max(1.0, float(headers["x-ratelimit-reset"]) - time.time())
        return SECONDARY_S if status == 429 or "secondary rate limit" in response.text.lower() else None
    return 2.0 ** (tried - 1) if status in {502, 503, 504} and method == "GET" else None


def _json(response: httpx2.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        raise ApiError(f"{response.url.host} answers with something that is not JSON", response.status_code) from None


def _words(response: httpx2.Response) -> str:
    """The server's own message, after a colon."""
    try:
        found = response.json()
    except ValueError:
        return ""
    said = found.get("message") or found.get("error") if isinstance(found, dict) else ""
    return f": {log_line(str(said), 200)}" if said else ""


def _host(url: str) -> str:
    return log_line(urlsplit(url).hostname or "the server", 100)


def _same_server(one: str, other: str) -> bool:
    a, b = urlsplit(one), urlsplit(other)
    return (a.scheme, a.netloc) == (b.scheme, b.netloc)
