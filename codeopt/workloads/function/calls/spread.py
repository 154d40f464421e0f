"""A large call in other shapes: its items all distinct or few, in order or not, fewer and more, found or not.

A draft is chosen by its time on a few large calls; what else its users call it with may take longer than before.
"""

from __future__ import annotations

import random
from typing import Any

from codeopt.workloads.function.calls.larger import grow
from codeopt.workloads.source.literals import Call, read

FEW = 3
"""Number of distinct items where many are equal."""
SHORT = 8
"""Divisor of the length of a short variant of the call."""
LONG = 4
"""Factor of the length of a long variant of the call."""
LEAST = 16
"""Items of an argument that has a shape."""
MOST_TEXT = 300_000
FAR = 1_000_003
"""Added to a number that is then not among the others."""


def shapes(text: str, seed: int) -> dict[str, str]:
    """The call in each shape that it can have, by what that is called."""
    call = read(text)
    places = [at for at, value in enumerate(call.values) if _has_shape(value)] if call is not None else []
    if call is None or not places:
        return {}
    draw = random.Random(seed)
    found = {name: _with(call, places, make, draw) for name, make in _WAYS.items()}
    if len(places) > 1:
        found["nothing found"] = _with(call, places[1:], lambda values, draw: [_other(v) for v in values], draw)
    texts = {name: other.text() for name, other in found.items() if other is not None}
    longer = grow(text, LONG, seed)
    texts |= {f"{LONG} times as long": longer} if longer is not None else {}
    return {name: each for name, each in texts.items() if each != text and len(each) <= MOST_TEXT}


def _has_shape(value: Any) -> bool:
    return isinstance(value, list | str | dict | set) and len(value) >= LEAST


def _with(call: Call, places: list[int], make: Any, draw: random.Random) -> Call | None:
    """The call with all large arguments made anew; None where that cannot be."""
    for at in places:
        value = call.values[at]
        try:
            items = make(list(value.items()) if isinstance(value, dict) else list(value), draw)
        except TypeError:  # items that have no order, or no hash
            return None
        if items is None:
            return None
        call = call.with_value(at, "".join(items) if isinstance(value, str) else type(value)(items))
    return call


def _distinct(values: list[Any], draw: random.Random) -> list[Any] | None:
    """As many as there are, of the same type, none like another."""
    kinds = {type(value) for value in values}
    if kinds == {int}:
        low = -8 * len(values) if min(values) < 0 else 0
        return draw.sample(range(low, low + 16 * len(values)), len(values))
    if kinds == {float}:
        return [draw.uniform(min(values), max(values) + 1) for _ in values]
    if kinds == {str} and all(len(value) == 1 for value in values):
        letters = [chr(code) for code in range(0x61, 0x61 + 4 * len(values)) if chr(code).isalpha()]
        return draw.sample(letters, len(values)) if len(letters) >= len(values) else None
    return [f"{value}{at}" for at, value in enumerate(values)] if kinds == {str} else None


def _few(values: list[Any], draw: random.Random) -> list[Any]:
    return [draw.choice(values[:FEW]) for _ in values]


def _other(value: Any) -> Any:
    """A new value of the same type as `value` that no known call contains."""
    if isinstance(value, tuple):
        return (_other(value[0]), *value[1:])
    return value + FAR if type(value) in (int, float) else f"{value}~" if isinstance(value, str) else value


_WAYS = {
    "all items distinct": _distinct,
    "few distinct items": _few,
    "sorted": lambda values, draw: sorted(values),
    "sorted the other way round": lambda values, draw: sorted(values)[::-1],
    "shuffled": lambda values, draw: draw.sample(values, len(values)),
    f"1/{SHORT} as long": lambda values, draw: values[: len(values) // SHORT],
}
