"""Answers read from JSON: literals, and arrays and scalars of numpy. No name of an answer is looked up, and no class of
it is made: a draft wrote it."""

from __future__ import annotations

from array import array
from binascii import a2b_base64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_KINDS = "biufc"
"""Data types of numpy that hold numbers alone."""
_TEXTS = "SU"
"""Data types of numpy that hold texts."""


def value(found: Any) -> Any:
    """The value that the JSON of guest/calls/repr/portable.py says. Raises ValueError where it says none."""
    if found is None or type(found) in (bool, str):
        return found
    try:
        kind, *parts = found
        return _MAKERS[kind](parts)
    except (TypeError, KeyError, IndexError, OverflowError) as error:
        raise ValueError(f"no value: {found!r:.100}") from error


def _integer(parts: list[Any]) -> int:
    return int(parts[0], 0)


def _dict(parts: list[Any]) -> dict[Any, Any]:
    return {value(key): value(each) for key, each in parts}


def _array(parts: list[Any]) -> Any:
    """An array of numbers or texts, which a checker may change."""
    kind, shape, data = parts
    numpy: Any = __import__("numpy")
    return numpy.frombuffer(a2b_base64(data), _data_type(kind, _KINDS + _TEXTS)).reshape(shape).copy()


def _scalar(parts: list[Any]) -> Any:
    return _data_type(parts[0], _KINDS).type(value(parts[1]))


def _data_type(kind: str, kinds: str) -> Any:
    numpy: Any = __import__("numpy")
    found = numpy.dtype(kind)
    if found.kind not in kinds:
        raise ValueError(f"no numbers: {kind}")
    return found


_MAKERS: dict[str, Callable[[list[Any]], Any]] = {
    "int": _integer,
    "float": lambda parts: float(parts[0]),
    "complex": lambda parts: complex(float(parts[0]), float(parts[1])),
    "bytes": lambda parts: a2b_base64(parts[0]),
    "list": lambda parts: [value(each) for each in parts],
    "tuple": lambda parts: tuple([value(each) for each in parts]),
    "set": lambda parts: {value(each) for each in parts},
    "frozenset": lambda parts: frozenset([value(each) for each in parts]),
    "dict": _dict,
    "array": _array,
    "scalar": _scalar,
    "array.array": lambda parts: array(value(parts[0]), value(parts[1])),
}
"""Maker of a value by its kind."""
