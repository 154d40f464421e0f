"""Packed calls: a calls file that generates its calls takes far longer to run than what it made takes to read, and a
long call far longer to compile."""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from marshal import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Call = tuple[tuple[Any, ...], dict[str, Any]]
    Packed = dict[str, list[bytes | None]]

MAX_BYTES = 8 << 20
"""Largest size of the packed calls: each run of calls is sent them."""
LONG_CHARS = 5_000
"""Length from which a call of numbers alone is packed: its text would take twenty times as long to compile."""
UNPACKED = "unpacked"
"""Name of the function by which the expression of a packed call makes it."""
NUMBERS = frozenset("0123456789+-.eE, []")
"""Characters of a call of numbers and lists of them, in which JSON and Python say the same."""
ATOMS = frozenset((type(None), bool, int, float, complex, str, bytes))
CONTAINERS = frozenset((tuple, list, set, frozenset))


def packed_calls(calls: Mapping[str, Sequence[Call]]) -> str:
    """Pack the calls of each name, in base64; those that are no plain values are left out. Empty where they are too
    large."""
    packed = {name: [packed_call(call) for call in each] for name, each in calls.items()}
    if sum(len(call) for each in packed.values() for call in each if call) > MAX_BYTES:
        return ""
    return b2a_base64(dumps(packed), newline=False).decode()


def packed_call(call: Call) -> bytes | None:
    """One call; None where it holds anything but plain values."""
    try:
        return dumps(call) if is_plain(call) else None
    except ValueError:  # nested too deep
        return None


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


def read_packed(text: str) -> Packed:
    """The packed calls by name, None for each that was left out; nothing for an empty text."""
    return loads(a2b_base64(text)) if text else {}


def unpacked(call: bytes) -> Call:
    """A fresh copy of a packed call."""
    return loads(call)  # type: ignore[no-any-return]


def is_plain(value: Any) -> bool:
    """Whether a value is of built-in types alone, not of their heirs. What can be packed and is none, such as an array,
    would come back as bytes."""
    seen: set[int] = set()
    todo = [value]
    while todo:
        value = todo.pop()
        kind = type(value)
        if kind in ATOMS:
            continue
        if id(value) in seen:
            continue
        seen.add(id(value))
        if kind is dict:
            todo += value.keys()
            todo += value.values()
        elif kind in CONTAINERS:
            todo += value
        else:
            return False
    return True
