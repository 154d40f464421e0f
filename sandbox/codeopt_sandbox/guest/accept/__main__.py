"""The program that asks a user's own checker about answers, in a process where nothing else of anybody runs.

stdout: one line of JSON, a list with the reason of refusal for each answer, empty where it is accepted.
"""

from __future__ import annotations

import json
import os
import sys

from ..calls.arguments import Arguments
from ..request import NO_LITERAL, AcceptRequest, FunctionRef, OutputsRequest
from .values import value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ..boot import Bundle

MAX_REASON_CHARS = 300


def main(bundle: Bundle, request: dict[str, Any], ref: dict[str, Any] | None = None) -> None:
    """Ask about every answer of a request: of calls of a function, or, without one, outputs of programs."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what the checker prints is no answer
    if ref is None:
        found = output_reasons(OutputsRequest.read(request))
    else:
        found = reasons(FunctionRef.read(ref), AcceptRequest.read(request))
    data = memoryview(json.dumps(found).encode())
    while data:
        data = data[os.write(answer, data) :]
    os._exit(0)


def reasons(ref: FunctionRef, request: AcceptRequest) -> list[str]:
    """Reason of refusal for each answer; empty where it is accepted."""
    sys.path[:0] = ref.paths
    sys.path += [path for path in ref.test_paths if path not in sys.path]
    accept = loaded(request)
    if isinstance(accept, str):
        return [accept] * len(request.asked)
    made = Arguments(ref)
    return [reason(accept, made, request.names, *each) for each in request.asked]


def output_reasons(request: OutputsRequest) -> list[str]:
    """Reason of refusal for each output; empty where it is accepted."""
    accept = loaded(request)
    return [accept if isinstance(accept, str) else told(accept, *each) for each in request.asked]


def loaded(request: AcceptRequest | OutputsRequest) -> Callable[..., Any] | str:
    """Return the checker's function, or the error of loading it."""
    module = sys.modules["checker"] = type(sys)("checker")
    space = vars(module)
    space["__file__"] = request.file
    try:
        exec(compile(request.source, request.file, "exec", dont_inherit=True), space)
        found: Callable[..., Any] = space[request.accept]
    except BaseException as error:
        return f"the checker raises {named(error)} when it is loaded"
    return found


def reason(
    accept: Callable[..., Any], made: Arguments, names: tuple[str, ...], call: str, expected: Any, got: Any
) -> str:
    """Reason of refusal for one answer."""
    try:
        given = arguments(call, made, names), value(expected), value(got)
    except Exception:  # what a call needs may not be here, what an answer says is up to a draft
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
    if type(found).__name__ in ("bool", "bool_"):  # also numpy's type
        return "" if found else "the checker does not accept it"
    return f"the checker returns {type(found).__name__}, neither a bool nor a text"


def arguments(text: str, made: Arguments, names: tuple[str, ...]) -> dict[str, Any]:
    """Return the arguments of a call by name, without omitted ones. The call is one of the original, never of a
    candidate.

    Raises:
        ValueError: There are more arguments than names.
        Exception: The expression raised it.
    """
    args, kwargs = made.fresh(compile(text, "call", "eval"))
    if len(args) > len(names):
        raise ValueError(text)
    return {**dict(zip(names, args)), **kwargs}


def named(error: BaseException) -> str:
    """`KeyError: 3`, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
