"""The program that asks a user's own checker about answers, in a process where nothing else of anybody runs.

stdout: one line of JSON, a list with the reason of refusal for each answer, empty where it is accepted.
"""

from __future__ import annotations

import json
import os
import sys

from ..calls.arguments import Arguments
from ..calls.function_ref import FunctionRef
from .request import NO_LITERAL, AcceptRequest
from .values import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..boot import Bundle

MAX_REASON_CHARS = 300


def main(bundle: Bundle, ref: dict[str, Any], request: dict[str, Any]) -> None:
    """Ask about every answer of a request about calls of a function."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what the checker prints is no answer
    data = memoryview(json.dumps(reasons(FunctionRef.read(ref), AcceptRequest.read(request))).encode())
    while data:
        data = data[os.write(answer, data) :]
    os._exit(0)


def reasons(ref: FunctionRef, request: AcceptRequest) -> list[str]:
    """Reason of refusal for each answer; empty where it is accepted."""
    sys.path[:0] = ref.paths
    sys.path += [path for path in ref.test_paths if path not in sys.path]
    space: dict[str, Any] = {"__name__": "checker", "__file__": request.file}
    try:
        exec(compile(request.source, request.file, "exec", dont_inherit=True), space)
    except BaseException as error:
        return [f"the checker raises {named(error)} when it is loaded"] * len(request.asked)
    made = Arguments(ref)
    return [reason(space[request.accept], made, request.names, *each) for each in request.asked]


def reason(
    accept: Callable[..., Any], made: Arguments, names: tuple[str, ...], call: str, expected: str, got: str
) -> str:
    """Reason of refusal for one answer."""
    try:
        given = arguments(call, made, names), value(expected), value(got)
    except Exception:  # what a call needs may not be here, what an answer says is up to a draft
        return NO_LITERAL
    try:
        found = accept(*given)
    except BaseException as error:
        return f"the checker raises {named(error)}"
    if isinstance(found, str):
        return " ".join(found.split())[:MAX_REASON_CHARS]
    if type(found).__name__ in ("bool", "bool_"):  # numpy's own, too
        return "" if found else "the checker does not accept it"
    return f"the checker returns {type(found).__name__}, neither a bool nor a text"


def arguments(text: str, made: Arguments, names: tuple[str, ...]) -> dict[str, Any]:
    """Arguments of a call by name, without those that it leaves out; the call is one that the original was asked, never
    of a draft. Raises ValueError for more arguments than there are names for, and whatever the expression raises."""
    args, kwargs = made.fresh(compile(text, "call", "eval"))
    if len(args) > len(names):
        raise ValueError(text)
    return {**dict(zip(names, args)), **kwargs}


def named(error: BaseException) -> str:
    """`KeyError: 3`, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
