"""The model's server, and the key that it may see."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from codeopt.core.errors import ModelError, UsageError

OPENAI = "https://api.openai.com/v1"
NO_KEY = "none"
"""Sent where no key is known: the client refuses to start without one, and local servers ignore it."""


@dataclass(frozen=True)
class Endpoint:
    """A server and the key for it."""

    base_url: str
    key: str = field(repr=False)
    key_name: str
    """The environment variable that the key came from. Empty if none is sent."""
    trusted: bool
    """OpenAI's own server or the one in OPENAI_BASE_URL: the environment's other OPENAI_* settings are meant for it."""
    withheld: bool = False
    """OPENAI_API_KEY is set, and not sent to this server."""

    @property
    def host(self) -> str:
        """`host:port` for messages: never the user or password that a URL may carry."""
        parts = urlsplit(self.base_url)
        return f"{parts.hostname}:{parts.port}" if parts.port else str(parts.hostname)

    def blank(self, text: str) -> str:
        """`text` without the key, for words of the server that are shown."""
        return text.replace(self.key, "***") if self.key_name else text


def endpoint(base_url: str | None, api_key_env: str | None, environ: Mapping[str, str] = os.environ) -> Endpoint:
    """The server to ask: `base_url`, else OPENAI_BASE_URL, else OpenAI.

    OPENAI_API_KEY goes to OpenAI and to the server in OPENAI_BASE_URL; any other server gets a key only when the user
    names its variable in `api_key_env`. Raises ModelError when a key is missing, UsageError when the URL is not one.
    """
    from_environment = environ.get("OPENAI_BASE_URL", "").strip()
    url = full_url(base_url or from_environment or OPENAI)
    own = _is_openai(url)
    trusted = own or not base_url
    if api_key_env:
        return Endpoint(url, _key(api_key_env, environ), api_key_env, trusted)
    if trusted and environ.get("OPENAI_API_KEY", "").strip():
        return Endpoint(url, _key("OPENAI_API_KEY", environ), "OPENAI_API_KEY", trusted)
    if own:
        raise ModelError(
            "no language model is configured",
            hint="set OPENAI_API_KEY, give --base-url URL for another server, or use --model rules",
        )
    return Endpoint(url, NO_KEY, "", trusted, withheld=bool(environ.get("OPENAI_API_KEY", "").strip()))


def full_url(text: str) -> str:
    """`text` with a scheme and a path: `host:port` becomes `http://host:port/v1`; a URL with a path stays as it is.

    Raises UsageError for a text that is no http URL.
    """
    text = text.strip()
    url = text if "://" in text else f"{_scheme(text)}://{text}"
    parts = _split(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(
            "the base URL of the model's server is not a web address", hint="an example: http://localhost:11434/v1"
        )
    return url if parts.path else parts._replace(path="/v1").geturl()


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, None if it is malformed or has an invalid port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _scheme(text: str) -> str:
    """A port, or this machine, means a local server without TLS; a bare name is a service on the internet."""
    host = text.partition("/")[0]
    return "http" if ":" in host or host == "localhost" else "https"


def _is_openai(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def _key(variable: str, environ: Mapping[str, str]) -> str:
    """The key in `variable`. Refuses one that no header can carry, because the HTTP library would print it."""
    key = environ.get(variable, "").strip()
    if not key:
        raise ModelError(
            f"no key for the model's server: {variable} is not set", hint=f"set the environment variable {variable}"
        )
    if not (key.isascii() and key.isprintable() and " " not in key):
        raise ModelError(
            f"the key in {variable} has a character that no key can have", hint="look for a space or a line break in it"
        )
    return key
