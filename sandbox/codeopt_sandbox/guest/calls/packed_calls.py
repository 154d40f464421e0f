"""Calls that a function makes in the place of their texts: those of long calls of numbers take twenty times as long to
compile as to read, and those of deep values no parser reads."""

from __future__ import annotations

from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Call = tuple[tuple[Any, ...], dict[str, Any]]

LONG_CHARS = 5_000
"""Length from which a call of numbers alone is packed."""
UNPACKED = "unpacked"
"""Name of the function by which the expression of a packed call makes it."""
DEEPENED = "deepened"
"""Name of the function by which an expression makes a nested value: no parser reads so many brackets."""
NUMBERS = frozenset("0123456789+-.eE, []")
"""Characters of a call of numbers and lists of them, in which JSON and Python say the same."""


def packed_numbers(text: str) -> bytes | None:
    """The call `f(1, [2.5, -3])`, packed; None where it holds anything but numbers and lists."""
    inside = text[2:-1]
    if text[:2] != "f(" or text[-1:] != ")" or not NUMBERS.issuperset(inside):
        return None
    import json

    try:
        return dumps((tuple(json.loads(f"[{inside}]")), {}))
    except (ValueError, RecursionError):  # no JSON, or nested too deep
        return None


def unpacked(call: bytes) -> Call:
    """A fresh copy of a packed call."""
    return loads(call)  # type: ignore[no-any-return]


def deepened(level: Callable[[Any], Any], value: Any, times: int) -> Any:
    """A value put into so many levels."""
    for _ in range(times):
        value = level(value)
    return value
