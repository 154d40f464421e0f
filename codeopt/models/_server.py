"""A server of models: where it is, which key it may see, and what went wrong there."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from codeopt.core.errors import ModelError, UsageError

if TYPE_CHECKING:
    import openai


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
    host = urlsplit(url).hostname or ""
    own = host == "api.openai.com" or host.endswith(".api.openai.com")
    trusted = own or not base_url
    if api_key_env:
        return Endpoint(url, _key(api_key_env, environ), api_key_env, trusted)
    if trusted and environ.get("OPENAI_API_KEY", "").strip():
        return Endpoint(url, _key("OPENAI_API_KEY", environ), "OPENAI_API_KEY", trusted)
    if own:
        hint = "set OPENAI_API_KEY, give --base-url URL for another server, or use --model rules"
        raise ModelError("no language model is configured", hint=hint)
    return Endpoint(url, NO_KEY, "", trusted, withheld=bool(environ.get("OPENAI_API_KEY", "").strip()))


def full_url(text: str) -> str:
    """`text` with a scheme and a path: `host:port` becomes `http://host:port/v1`; a URL with a path stays as it is.

    Raises UsageError for a text that is no http URL.
    """
    text = text.strip()
    # A port, or this machine, means a local server without TLS; a bare name is a service on the internet.
    host = text.partition("/")[0]
    scheme = "http" if ":" in host or host == "localhost" else "https"
    url = text if "://" in text else f"{scheme}://{text}"
    parts = _split(url)
    if parts is None or parts.scheme not in {"http", "https"} or not parts.hostname:
        hint = "an example: http://localhost:11434/v1"
        raise UsageError("the base URL of the model's server is not a web address", hint=hint)
    return url if parts.path else parts._replace(path="/v1").geturl()


def _split(url: str) -> SplitResult | None:
    """Return the parts of a URL, None if it is malformed or has an invalid port."""
    try:
        parts = urlsplit(url)
        _ = parts.port
    except ValueError:
        return None
    return parts


def _key(variable: str, environ: Mapping[str, str]) -> str:
    """The key in `variable`. Refuses one that no header can carry, because the HTTP library would print it."""
    key = environ.get(variable, "").strip()
    if not key:
        hint = f"set the environment variable {variable}"
        raise ModelError(f"no key for the model's server: {variable} is not set", hint=hint)
    if not (key.isascii() and key.isprintable() and " " not in key):
        hint = "look for a space or a line break in it"
        raise ModelError(f"the key in {variable} has a character that no key can have", hint=hint)
    return key


# Errors of the official client as a fact and a hint; never a key, never a header.


def explain(error: openai.OpenAIError, where: Endpoint, tries: int) -> ModelError:
    """The error for any of the client but 404, see `unknown_model`. `tries`: how many requests were sent."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return ModelError(f"the model's server at {where.host} did not answer in time ({_times(tries)})")
    if isinstance(error, openai.APIConnectionError):
        fact = f"cannot reach the model's server at {where.host}: {_reason(error)} ({_times(tries)})"
        return ModelError(fact, hint="check that it is running")
    if not isinstance(error, openai.APIStatusError):
        return ModelError(f"the openai client failed: {type(error).__name__}")
    status = error.status_code
    wait = error.response.headers.get("retry-after", "")
    wait_s = float(wait) if wait.replace(".", "", 1).isdecimal() else None
    if status in {401, 403}:
        return _refused(status, wait_s, where)
    server, words = f"the model's server at {where.host}", _words(error.body, where)
    if status == 429:
        fact = f"{server} says 429: too many requests, or no credit ({_times(tries)}){words}"
    elif status >= 500:
        fact = f"{server} fails with status {status} ({_times(tries)}){words}"
    else:
        fact = f"{server} refuses the request with status {status}{words}"
    return ModelError(fact, status=status, wait_s=wait_s)


def unknown_model(model: str, where: Endpoint, known: list[str]) -> ModelError:
    """The error for a 404. `known`: the models that the server lists, empty when it lists none."""
    if not known:
        return ModelError(
            f"the server at {where.host} has no model {model!r}, or no chat completions at this base URL (404)",
            hint="check the name, and the end of the URL: for most servers /v1",
            status=404,
        )
    near = difflib.get_close_matches(model, known, n=3, cutoff=0.3) or known[:3]
    names = ", ".join(one_line(name, 80) for name in near)
    hint = f"it has {len(known)}, for example {names}"
    return ModelError(f"the server at {where.host} has no model {model!r} (404)", hint=hint, status=404)


def said(body: object) -> str:
    """Return the server's own words from the body of an error, in the known shapes. Empty without words."""
    if isinstance(body, dict):
        for key in ("error", "message", "detail"):
            if body.get(key):
                return said(body[key])
        return ""
    return body if isinstance(body, str) else ""


def one_line(text: str, limit: int = 200) -> str:
    """`text` from a server, fit for a terminal: one line, no control characters, cut."""
    line = "".join(c if c.isprintable() else " " for c in text[: 10 * limit])
    line = " ".join(line.split())
    return line if len(line) <= limit else line[: limit - 3] + "..."


def _refused(status: int, wait_s: float | None, where: Endpoint) -> ModelError:
    """The server's own words are left out: some repeat the key in them."""
    if where.key_name:
        fact, hint = f"refuses the key in {where.key_name}", f"check {where.key_name}"
    elif where.withheld:
        fact = "wants a key, and OPENAI_API_KEY is sent to OpenAI and to OPENAI_BASE_URL only"
        hint = "--api-key-env OPENAI_API_KEY sends it"
    else:
        fact, hint = "wants a key", "--api-key-env NAME names the variable that holds it"
    fact = f"the model's server at {where.host} {fact} (status {status})"
    return ModelError(fact, hint=hint, status=status, wait_s=wait_s)


def _words(body: object, where: Endpoint) -> str:
    """Return the server's own words after a colon. Empty without words."""
    text = one_line(where.blank(said(body)))
    return f": {text}" if text else ""


def _reason(error: openai.APIConnectionError) -> str:
    """The reason why there was no connection, if the network gave it: other errors of the HTTP library may quote a
    header."""
    import httpx2

    cause = error.__cause__
    if isinstance(cause, httpx2.ConnectError):
        return one_line(str(cause))
    return type(cause).__name__ if cause else "no connection"


def _times(tries: int) -> str:
    return "tried once" if tries == 1 else f"tried {tries} times"
