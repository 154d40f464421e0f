"""The program that asks a user's own checker about answers, in a process where nothing else of anybody runs.

stdout: one line of JSON, a list with the reason of refusal for each answer, empty where it is accepted.
"""

from __future__ import annotations

import json
import os
import sys
from array import array
from binascii import a2b_base64

from .boot import write_all
from .calls.arguments import Arguments
from .request import NO_LITERAL, CheckerRequest, FunctionRef

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .boot import Bundle


def main(bundle: Bundle, request: dict[str, Any], ref: dict[str, Any] | None = None) -> None:
    """Ask about every answer of a request: of calls of a function, or, without one, outputs of programs."""
    answer = os.dup(1)
    os.dup2(2, 1)  # what the checker prints is no answer
    found = reasons(CheckerRequest.read(request), FunctionRef.read(ref) if ref else None)
    write_all(answer, json.dumps(found).encode())
    os._exit(0)


def reasons(request: CheckerRequest, ref: FunctionRef | None) -> list[str]:
    """Reason of refusal for each answer; empty where it is accepted."""
    if ref is not None:
        sys.path[:0] = ref.paths
        sys.path += [path for path in ref.test_paths if path not in sys.path]
    module = sys.modules["checker"] = type(sys)("checker")
    space = vars(module)
    space["__file__"] = request.file
    try:
        exec(compile(request.source, request.file, "exec", dont_inherit=True), space)
        accept: Callable[..., Any] = space[request.accept]
    except BaseException as error:
        return [f"the checker raises {named(error)} when it is loaded"] * len(request.asked)
    if ref is None:
        return [told(accept, *each) for each in request.asked]
    made = Arguments(ref)
    return [reason(accept, made, request.names, *each) for each in request.asked]


def reason(
    accept: Callable[..., Any], made: Arguments, names: tuple[str, ...], call: str, expected: Any, got: Any
) -> str:
    """Reason of refusal for one answer."""
    try:
        args, kwargs = made.fresh(compile(call, "call", "eval"))  # of the original, never of a candidate
        if len(args) > len(names):
            return NO_LITERAL
        given = {**dict(zip(names, args)), **kwargs}, value(expected), value(got)
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
        return " ".join(found.split())[:300]
    if type(found).__name__ in ("bool", "bool_"):  # also numpy's type
        return "" if found else "the checker does not accept it"
    return f"the checker returns {type(found).__name__}, neither a bool nor a text"


def named(error: BaseException) -> str:
    """`KeyError: 3`, on one line."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"


# Answers read from JSON: literals, and arrays and scalars of numpy. No name of an answer is looked up, and no class of
# it is made: a draft wrote it.


_KINDS = "biufc"
"""Data types of numpy that hold numbers alone."""


def value(found: Any) -> Any:
    """The value that the JSON of guest/calls/outcome.py says. Raises ValueError where it says none."""
    if found is None or type(found) in (bool, str):
        return found
    try:
        kind, *parts = found
        return _MAKERS[kind](parts)
    except (TypeError, KeyError, IndexError, OverflowError) as error:
        raise ValueError(f"no value: {found!r:.100}") from error


def _array(parts: list[Any]) -> Any:
    """An array of numbers or texts, which a checker may change."""
    kind, shape, data = parts
    numpy: Any = __import__("numpy")
    # data types of numpy that hold texts
    return numpy.frombuffer(a2b_base64(data), _data_type(kind, _KINDS + "SU")).reshape(shape).copy()


def _data_type(kind: str, kinds: str) -> Any:
    numpy: Any = __import__("numpy")
    found = numpy.dtype(kind)
    if found.kind not in kinds:
        raise ValueError(f"no numbers: {kind}")
    return found


_MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "int": lambda parts: int(parts[0], 0),
    "float": lambda parts: float(parts[0]),
    "complex": lambda parts: complex(float(parts[0]), float(parts[1])),
    "bytes": lambda parts: a2b_base64(parts[0]),
    "list": lambda parts: [value(each) for each in parts],
    "tuple": lambda parts: tuple([value(each) for each in parts]),
    "set": lambda parts: {value(each) for each in parts},
    "frozenset": lambda parts: frozenset([value(each) for each in parts]),
    "dict": lambda parts: {value(key): value(each) for key, each in parts},
    "array": _array,
    "scalar": lambda parts: _data_type(parts[0], _KINDS).type(value(parts[1])),
    "array.array": lambda parts: array(value(parts[0]), value(parts[1])),
}
"""Maker of a value by its kind."""
