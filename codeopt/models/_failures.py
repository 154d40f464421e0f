"""Errors of the official client as a fact and a hint; never a key, never a header."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from codeopt.core.errors import ModelError
from codeopt.models._endpoint import Endpoint

if TYPE_CHECKING:
    import openai


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
    return ModelError(
        f"the server at {where.host} has no model {model!r} (404)",
        hint=f"it has {len(known)}, for example {names}",
        status=404,
    )


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
    return ModelError(
        f"the model's server at {where.host} {fact} (status {status})", hint=hint, status=status, wait_s=wait_s
    )


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
