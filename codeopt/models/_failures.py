"""Errors of the official client as one line that says what is wrong and what to do; never a key, never a header."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from codeopt.models._endpoint import Endpoint

if TYPE_CHECKING:
    import openai


def explain(error: openai.OpenAIError, where: Endpoint, tries: int) -> str:
    """One line for any error of the client but 404, see `unknown_model`. `tries`: how many requests were sent."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return f"the model's server at {where.host} did not answer in time ({_times(tries)})"
    if isinstance(error, openai.APIConnectionError):
        return f"cannot reach the model's server at {where.host}: {_reason(error)} ({_times(tries)}); is it running?"
    if not isinstance(error, openai.APIStatusError):
        return f"the openai client failed: {type(error).__name__}"
    status = error.status_code
    if status in {401, 403}:
        return _refused(status, where)
    words = _words(error.body, where)
    if status == 429:
        return f"the model's server at {where.host} says 429, too many requests or no credit ({_times(tries)}){words}"
    if status >= 500:
        return f"the model's server at {where.host} fails with status {status} ({_times(tries)}){words}"
    return f"the model's server at {where.host} refuses the request with status {status}{words}"


def status_of(error: openai.OpenAIError) -> tuple[int | None, float | None]:
    """The HTTP status, and the seconds that the server asks to wait; None where the error does not say."""
    import openai

    if not isinstance(error, openai.APIStatusError):
        return None, None
    wait = error.response.headers.get("retry-after", "")
    return error.status_code, float(wait) if wait.replace(".", "", 1).isdecimal() else None


def unknown_model(model: str, where: Endpoint, known: list[str]) -> str:
    """One line for a 404. `known`: the models that the server lists, empty when it lists none."""
    if not known:
        return (
            f"the server at {where.host} has no model {model!r}, or no chat completions at this base URL (404); "
            "check the name, and that the URL ends as the server wants it (most: /v1)"
        )
    near = difflib.get_close_matches(model, known, n=3, cutoff=0.3) or known[:3]
    names = ", ".join(one_line(name, 80) for name in near)
    return f"the server at {where.host} has no model {model!r} (404); it has {len(known)}, for example {names}"


def said(body: object) -> str:
    """The server's own words in the body of an error, in the shapes that servers use; empty when there are none."""
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


def _refused(status: int, where: Endpoint) -> str:
    """The server's own words are left out: some repeat the key in them."""
    if where.key_name:
        return f"the model's server at {where.host} refuses the key in {where.key_name} (status {status})"
    return (
        f"the model's server at {where.host} wants a key (status {status}): name the environment variable that holds "
        "it with --api-key-env; OPENAI_API_KEY goes to other servers only on your word"
    )


def _words(body: object, where: Endpoint) -> str:
    """The server's own words, after a colon; empty where there are none."""
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
