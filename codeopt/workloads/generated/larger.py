"""The size of a call, and a call made larger, so that a clock can see it: longer lists and texts, also of those that an
object is made of.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from typing import Any

from codeopt.workloads.generated.derive import Maker
from codeopt.workloads.generated.vocabulary import Vocabulary
from codeopt.workloads.source.literals import Call, Constructed, Recipe, read

SHORT = 2
"""Length of a value that does not give the size of a call if another value, or a number, is larger."""


def call_size(text: str) -> float:
    """Size of a call as it is written; 0 of one that cannot be read."""
    call = read(text)
    return size_of(call) if call else 0.0


def size_of(call: Call) -> float:
    """Size of all that is long in a call; of a call of numbers alone the largest, if a float can hold it: no call
    grows by a number that is larger; else that of its short values."""
    lengths = list(_lengths(call))
    numbers = [abs(value) for value in call.values if type(value) is int]
    long = sum(length for length in lengths if length > SHORT)
    return float(long or min(max(numbers, default=sum(lengths)), sys.float_info.max))


def unit_of(call: Call) -> str:
    """What its size counts: `items`, or `n` where it is a number itself."""
    long = any(length > SHORT for length in _lengths(call))
    return "items" if long or not any(type(value) is int for value in call.values) else "n"


def size_by(unit: str, call: Call) -> float:
    """Size of a call among others of which some may be longer."""
    return size_of(call) if unit == "n" else float(sum(_lengths(call)))


def _lengths(value: Call | Constructed) -> Iterator[int]:
    """Lengths of the arguments, and of what objects are made of."""
    for part in value.values:
        if isinstance(part, Recipe):
            yield part.size
        elif isinstance(part, list | str | bytes | dict | set | frozenset):
            yield len(part)
        elif isinstance(part, Constructed):
            yield from _lengths(part)


def _other(value: Constructed, maker: Maker) -> Constructed:
    """Another object of its kind, mostly with another text or number."""
    for at, part in enumerate(value.values):
        if type(part) is str and part and maker.draw.random() < 0.7:
            value = value.with_value(at, part + str(maker.draw.randint(0, 999)))
        elif type(part) in (int, float):
            value = value.with_value(at, maker.change(part))
    return value


def grow(text: str, factor: int, seed: int = 0) -> str | None:
    """Return the grown call as text. None if `grow_call` cannot grow it."""
    call = read(text)
    grown = grow_call(call, factor, seed) if call is not None else None
    return grown.text() if grown is not None else None


def grow_call(call: Call, factor: int, seed: int = 0) -> Call | None:
    """The call with every list, text and dictionary that has some size `factor` times as long, and varied; None when
    nothing in it can grow. A call of numbers alone grows by its largest number."""
    maker = Maker(random.Random(seed), [call], Vocabulary(), False)
    grown = call
    for at, value in enumerate(call.values):
        grown = grown.with_value(at, _larger(value, factor, maker))
    if grown == call:
        numbers = [(value, at) for at, value in enumerate(call.values) if type(value) is int and 1 < value < 10**6]
        if not numbers:
            return None
        value, at = max(numbers)
        grown = call.with_value(at, int(value * (1 + factor / 4)) + 1)
    return grown


def can_grow(call: Call) -> bool:
    """Return True if `grow_call` makes the call larger."""
    return any(map(_grows, call.values)) or any(type(value) is int and 1 < value < 10**6 for value in call.values)


def _grows(value: Any) -> bool:
    if isinstance(value, list | str | bytes):
        return len(value) > 2
    if isinstance(value, dict | set | frozenset):
        return len(value) > 2 and all(type(key) in (int, str) for key in value)
    if isinstance(value, tuple):
        return len(value) > 3 and len({type(item) for item in value}) == 1
    inside = isinstance(value, Constructed) and value.maker.startswith(("load(", "used", "iter", "deque"))
    return inside and any(_grows(part) for part in value.values if isinstance(part, list | Constructed))


def _larger(value: Any, factor: int, maker: Maker) -> Any:
    """A list or a text of some length made longer, and those that an object is made of; others as they are."""
    if not _grows(value):
        return value
    if isinstance(value, list | str | bytes):
        return _longer(value, factor, maker)
    if isinstance(value, dict | set | frozenset):
        return _wider(value, factor, maker)
    if isinstance(value, tuple):
        return tuple(_longer(list(value), factor, maker))
    for at, part in enumerate(value.values):
        if isinstance(part, list | Constructed):
            value = value.with_value(at, _larger(part, factor, maker))
    return value


def _wider(value: Any, factor: int, maker: Maker) -> Any:
    """Other keys of the same kind, numbers or texts, with values of the known ones."""
    keys = list(value) if isinstance(value, dict) else sorted(value, key=repr)
    spread = max((abs(key) for key in keys if type(key) is int), default=0) + 1
    found = dict(value) if isinstance(value, dict) else dict.fromkeys(keys)
    for copy in range(1, factor):
        for key in keys:
            new = key + copy * spread if type(key) is int else f"{key}{maker.draw.randint(0, 10 * factor)}"
            found.setdefault(new, found[key])
    return found if isinstance(value, dict) else type(value)(found)


def _longer(value: Any, factor: int, maker: Maker) -> Any:
    """Copies one after another; of lists of numbers and texts each copy is a little different."""
    if not isinstance(value, list):
        return value * factor
    found = list(value)
    whole = [item for item in value if type(item) is int]
    spread = max(map(abs, whole), default=0) * factor
    smallest = min(whole, default=0)
    least = -spread if smallest < 0 else min(smallest, 1)  # zero among numbers that are all above it is another matter
    width = max(spread, 1) - least + 1
    random = maker.draw.random
    if len(whole) == len(value) and width < 2**52:  # the commonest, and long
        return found + [least + int(random() * width) for _ in range((factor - 1) * len(value))]
    for _ in range(factor - 1):
        for item in value:
            if type(item) is int:
                found.append(least + (int(random() * width) if width < 2**52 else maker.draw.randrange(width)))
            elif type(item) is float:
                found.append(maker.draw.uniform(0.5, 1.5) * item)
            elif type(item) is str:
                found.append(maker.texts.shuffled(item))
            elif type(item) is Constructed:
                found.append(_other(item, maker))
            else:
                found.append(item)
    return found
