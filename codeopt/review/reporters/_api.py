"""The few requests that a reporter makes: JSON there and back, rate limits waited for, the token never in a message."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from codeopt.core.sanitize import log_line
from codeopt.core.version import __version__

if TYPE_CHECKING:
    import httpx2

TRIES = 4
PATIENCE_S = 180.0
"""Longest wait, seconds. A primary rate limit may ask for an hour."""
SECONDARY_S = 60.0
"""Seconds to wait if the server names no time, as GitHub asks."""
PAGES = 50


class ApiError(Exception):
    """The platform did not do what was asked, or cannot be reached; one line.

    status: the HTTP status, 0 without an answer.
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


def secret(environ: Mapping[str, str], *names: str) -> str:
    """Return the first token that is set. Raises ApiError without one, and for one that no header can carry."""
    for name in names:
        token = environ.get(name, "").strip()
        if token and token.isascii() and token.isprintable() and " " not in token:
            return token
        if token:
            raise ApiError(f"the token in {name} has a character that no token can have")
    raise ApiError(f"there is no token ({' or '.join(names)})")


@contextmanager
def open_api(base_url: str, headers: Mapping[str, str]) -> Iterator[Api]:
    """A server's REST API."""
    import httpx2

    with httpx2.Client(headers={"User-Agent": f"codeopt/{__version__}", **headers}, timeout=30.0) as client:
        yield Api(base_url.rstrip("/"), client)


@dataclass(frozen=True)
class Api:
    """A server's REST API. Its methods raise ApiError."""

    base_url: str
    client: httpx2.Client

    def call(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON of the answer, or None."""
        return _json(self._patiently(method, self.base_url + path, body))

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """Yield every object of a list, from all of its pages."""
        url = f"{self.base_url}{path}?per_page=100"
        for _ in range(PAGES):
            response = self._patiently("GET", url, None)
            yield from (item for item in _json(response) or () if isinstance(item, dict))
            url = str(response.links.get("next", {}).get("url", ""))
            if urlsplit(url)[:2] != urlsplit(self.base_url)[:2]:  # missing, or the token would go elsewhere
                return

    def _patiently(self, method: str, url: str, body: Mapping[str, Any] | None) -> httpx2.Response:
        """Return the response, after waiting as the server asks."""
        import httpx2

        host = log_line(urlsplit(url).hostname or "the server", 100)
        try:
            response = self.client.request(method, url, json=body)
            for tried in range(1, TRIES):
                wait = _wait(response, method, tried)
                if wait is None or wait > PATIENCE_S:
                    break
                time.sleep(wait)
                response = self.client.request(method, url, json=body)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise ApiError(f"cannot reach {host} ({type(error).__name__})") from None
        if response.is_success:
            return response
        status = response.status_code
        raise ApiError(f"{host} answers {method} with status {status}{_message(response)}", status)


def _wait(response: httpx2.Response, method: str, tried: int) -> float | None:
    """Return the seconds to wait before the next try. None if another try is useless."""
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
        return response.json() if response.content else None
    except ValueError:
        raise ApiError(f"{response.url.host} answers with something that is not JSON", response.status_code) from None


def _message(response: httpx2.Response) -> str:
    """The server's own message, after a colon."""
    try:
        found = _json(response)
    except ApiError:
        return ""
    said = found.get("message") or found.get("error") if isinstance(found, dict) else ""
    return f": {log_line(str(said), 200)}" if said else ""
