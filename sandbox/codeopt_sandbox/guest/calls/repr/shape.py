"""Shapes of values in words: kinds and sizes of them and of their parts, never the values themselves.

list of 10,000 tuple (str of 3 to 8 characters, int up to 5 digits), 9,870 distinct, sorted
"""

from __future__ import annotations

from .plain import NAMED, is_iterator, is_simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_PARTS = 20_000
"""Most parts that are looked at."""
MAX_KINDS = 3
"""Most kinds of parts that are named."""
MAX_FIELDS = 8
"""Most attributes of an object that are described."""
MAX_DEPTH = 4
"""Depth to which parts are described."""
WIDTH = 4
"""A tuple of at most so many parts has each of them described by its place."""


def shape_of(values: Sequence[Any], depth: int = MAX_DEPTH) -> str:
    kinds: dict[type, list[Any]] = {}
    for value in values:
        kinds.setdefault(type(value), []).append(value)
    groups = sorted(kinds.values(), key=len, reverse=True)
    words = [of_one_kind(group, depth) for group in groups[:MAX_KINDS]]
    return " or ".join([*words, *(["other kinds"] if len(groups) > MAX_KINDS else [])]) or "nothing"


def of_one_kind(values: list[Any], depth: int) -> str:
    """Shape of values of one type."""
    kind: Any = type(values[0])
    name: str = kind.__name__
    if kind in (type(None), bool):
        return str(values[0]) if len(set(values)) == 1 else name
    if kind is int:
        return _integers(values)
    if kind is float:
        return name + (", some nan or infinite" if any(v - v != 0 for v in values) else "")
    if kind in (str, bytes, bytearray):
        return _texts(values, name)
    if kind in (list, tuple, set, frozenset, dict) or name in ("deque", "OrderedDict", "Counter", "defaultdict"):
        return _container(values, name, depth)
    if isinstance(values[0], NAMED) or callable(values[0]):
        return name if not isinstance(values[0], type) else "class"
    if is_iterator(values[0]):
        return f"iterator ({name})"
    if hasattr(kind, "shape") and hasattr(kind, "dtype"):
        return f"{name} of shape {values[0].shape!s:.40} and {values[0].dtype!s:.20}"
    return _object(values, name, depth)


def _integers(values: list[int]) -> str:
    least, most = min(values), max(values)
    if least == most and -10 < least < 10:
        return f"int {least}"
    largest = max(abs(least), abs(most))
    digits = len(str(largest)) if largest < 10**30 else int(largest.bit_length() * 0.30103)
    return f"int up to {digits} digit{'s' * (digits != 1)}" + (", negative ones too" if least < 0 else "")


def _span(sizes: list[int]) -> str:
    return f"{min(sizes):,}" if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,}"


def _texts(values: list[Any], name: str) -> str:
    sizes = [len(value) for value in values]
    text = f"{name} of {_span(sizes)} character{'s' * (max(sizes) != 1)}"
    newline: Any = "\n" if name == "str" else b"\n"
    lines = [value.count(newline) + 1 for value in values[:100]]
    text += f" in {_span(lines)} lines" if max(lines) > 1 else ""
    return text + (", not only ASCII" if name == "str" and not all(map(str.isascii, values)) else "")


def _container(values: list[Any], name: str, depth: int) -> str:
    sizes = [len(value) for value in values]
    text = f"{name} of {_span(sizes)}"
    if not max(sizes) or depth <= 0:
        return text
    if name in ("dict", "OrderedDict", "Counter", "defaultdict"):
        keys, inner = _parts(values), _parts([list(value.values()) for value in values])
        return f"{text}: {shape_of(keys, depth - 1)} -> {shape_of(inner, depth - 1)}"
    if name == "tuple" and len(set(sizes)) == 1 and sizes[0] <= WIDTH:
        places = [shape_of([value[at] for value in values[:MAX_PARTS]], depth - 1) for at in range(sizes[0])]
        return f"tuple ({', '.join(places)})"
    text = f"{text} {shape_of(_parts(values), depth - 1)}"
    return text + (_order(values[0]) if len(values) == 1 and name in ("list", "tuple", "deque") else "")


def _parts(values: Sequence[Any]) -> list[Any]:
    """Parts of all of them, from each about as many."""
    each = max(1, MAX_PARTS // len(values))
    return [part for value in values[:MAX_PARTS] for part in list(value)[:each]]


def _order(value: Any) -> str:
    """Number of distinct parts of a sequence, and whether they are in order. Plain parts only: comparing others runs
    code of theirs."""
    items = list(value)[:MAX_PARTS]
    plain = all(is_simple(type(part)) for item in items for part in (item if type(item) is tuple else (item,)))
    if len(items) < 2 or not plain:
        return ""
    distinct = f", {len(set(items)):,} distinct"
    try:
        pairs = list(zip(items, items[1:]))
        rising, falling = all(a <= b for a, b in pairs), all(a >= b for a, b in pairs)
    except TypeError:
        return distinct
    return distinct + (", all equal" if rising and falling else ", sorted" * rising + ", sorted downwards" * falling)


def _object(values: list[Any], name: str, depth: int) -> str:
    fields = list(_state(values[0]))
    if not fields or depth <= 0:
        return name
    words = []
    for field in fields[:MAX_FIELDS]:
        found = [state[field] for value in values[:MAX_PARTS] for state in (_state(value),) if field in state]
        words.append(f"{field}: {shape_of(found, depth - 1)}")
    return f"{name} ({', '.join(words)}{', ...' * (len(fields) > MAX_FIELDS)})"


def _state(value: Any) -> dict[str, Any]:
    """Attributes without asking the object for them: a property would run its code."""
    found: dict[str, Any] = {}
    for base in type(value).__mro__:
        slots = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            member: Any = vars(base).get(slot)
            if type(member).__name__ == "member_descriptor":
                try:
                    found[slot] = member.__get__(value)
                except AttributeError:
                    continue
    state = getattr(value, "__dict__", None)
    return {**found, **state} if type(state) is dict else found
