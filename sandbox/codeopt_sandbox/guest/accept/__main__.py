"""The program that asks a user's own checker about answers, in a process where nothing else of anybody runs.

stdout: one line of JSON, a list with the reason of refusal for each answer, empty where it is accepted.
"""

from __future__ import annotations

import ast
import json
import os
import re

from .request import NO_LITERAL, AcceptRequest, OutputsRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..boot import Bundle

MAX_REASON_CHARS = 300
_SET = re.compile(r"\bset\{")


def main(bundle: Bundle, request: dict[str, Any], outputs: bool = False) -> None:
    """Ask about every answer of a request: of calls, or outputs of programs."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what the checker prints is no answer
    found = output_reasons(OutputsRequest.read(request)) if outputs else reasons(AcceptRequest.read(request))
    data = memoryview(json.dumps(found).encode())
    while data:
        data = data[os.write(answer, data) :]
    os._exit(0)


def reasons(request: AcceptRequest) -> list[str]:
    """Reason of refusal for each answer; empty where it is accepted."""
    accept = loaded(request)
    if isinstance(accept, str):
        return [accept] * len(request.asked)
    return [reason(accept, request.names, *each) for each in request.asked]


def output_reasons(request: OutputsRequest) -> list[str]:
    """Reason of refusal for each output; empty where it is accepted."""
    accept = loaded(request)
    return [accept if isinstance(accept, str) else told(accept, *each) for each in request.asked]


def loaded(request: AcceptRequest | OutputsRequest) -> Callable[..., Any] | str:
    """The checker's function; why there is none."""
    space: dict[str, Any] = {"__name__": "checker"}
    try:
        exec(compile(request.source, request.file, "exec", dont_inherit=True), space)
        found: Callable[..., Any] = space[request.accept]
    except BaseException as error:
        return f"the checker raises {named(error)} when it is loaded"
    return found


def reason(accept: Callable[..., Any], names: tuple[str, ...], call: str, expected: str, got: str) -> str:
    """Reason of refusal for one answer."""
    try:
        given = arguments(call, names), value(expected), value(got)
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
        return NO_LITERAL
    return told(accept, *given)


def told(accept: Callable[..., Any], *given: Any) -> str:
    """Reason of refusal in one line."""
    try:
        found = accept(*given)
    except BaseException as error:
        return f"the checker raises {named(error)}"
    if isinstance(found, str):
        return " ".join(found.split())[:MAX_REASON_CHARS]
    if found is True or found is False:
        return "" if found else "the checker does not accept it"
    return f"the checker returns {type(found).__name__}, neither a bool nor a text"


def value(text: str) -> Any:
    """The value that a literal says; sets are written as `set{1, 2}`. Raises ValueError, SyntaxError."""
    return ast.literal_eval(text if "'" in text or '"' in text else _SET.sub("{", text))


def arguments(text: str, names: tuple[str, ...]) -> dict[str, Any]:
    """Arguments of a call by name, without those that it leaves out. Raises ValueError, SyntaxError."""
    call = ast.parse(text, mode="eval").body
    if not isinstance(call, ast.Call) or len(call.args) > len(names):
        raise ValueError(text)
    found = dict(zip(names, map(ast.literal_eval, call.args)))
    for each in call.keywords:
        found[str(each.arg)] = ast.literal_eval(each.value)
    return found


def named(error: BaseException) -> str:
    """`KeyError: 3`, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
