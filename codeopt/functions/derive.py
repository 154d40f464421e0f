"""More calls from known ones: empty, single, repeated, negated, boundary, larger. The original says what is right
for each.

A fuzzer's dictionary helps it: constants of the function's own text, lengths and items of the other arguments, what
other calls
gave at the same place. Types stay as they were seen; a seed makes the same calls again.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Sequence
from typing import Any

from codeopt.functions.literals import Call, Opaque, read

SMALL = 12
"""Items of a container that a derived call keeps, most of the time: small calls show the same and are read more
easily."""
_INTS = (0, 1, -1, 2, 3, 7, 10, 31, 64, 100, 255, 256, 1000, 2**31 - 1, 2**31, 2**63, -(2**31), -(2**63) - 1)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 1e9, 1e16, 1e308, float("inf"), float("-inf"), float("nan"), 0.1, 2.5)
_CHARS = " \t\n_-.,:;/'\"()[]{}<>&#%\\|=*?+$@aAzZ09"
_ODD = "\xe9\xdf\u0130\u6f22\u0301\U0001f600\xa0\u0663\xb2\ufb01\u2028\x85\x00"
"""Accents, other case of another length, wide, combining, beyond 16 bits, spaces, digits and line ends of others."""


def derive(
    calls: Sequence[str], count: int, seed: int, source: str = "", *, small: bool = True, pool: Sequence[Any] = ()
) -> list[str]:
    """Up to `count` calls near `calls`, none of them among them.

    source: the function's text, whose constants are tried as values. small: cut large arguments down first.
    """
    bases = [call for text in calls if (call := read(text)) is not None]
    if not bases:
        return []
    maker = _Maker(random.Random(seed), bases, [*_constants(source), *pool], small)
    known = set(calls)
    found: list[str] = []
    for attempt in range(count * 4):
        text = maker.one(bases[attempt % len(bases)]).text()
        if text not in known and len(text) < 20_000:
            known.add(text)
            found.append(text)
        if len(found) >= count:
            break
    return found


def _constants(source: str) -> list[Any]:
    """The plain constants in a text of code."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and type(n.value) in (int, float, str, bytes)
    ]


class _Maker:
    """Changes one call at a time."""

    def __init__(self, draw: random.Random, bases: Sequence[Call], constants: Sequence[Any], small: bool) -> None:
        self.draw, self.bases, self.small = draw, bases, small
        self.constants = constants
        self.others: list[Any] = []

    def one(self, base: Call) -> Call:
        """A call with one or two arguments changed."""
        call = base
        if self.small and self.draw.random() < 0.9:
            for at, value in enumerate(call.values):
                call = call.with_value(at, self.shorten(value))
        places = [at for at, value in enumerate(call.values) if not isinstance(value, Opaque)]
        if not places:
            return call
        for _ in range(self.draw.choice((1, 1, 1, 2, 2, 3))):
            at = self.draw.choice(places)
            self.others = [value for place, value in enumerate(call.values) if place != at]
            call = call.with_value(at, self.change(call.values[at], at))
        return call

    def shorten(self, value: Any, depth: int = 2) -> Any:
        """A container or text with at most SMALL items, from somewhere within it."""
        if (
            isinstance(value, list | str | bytes | tuple)
            and len(value) > SMALL
            and not (isinstance(value, tuple) and depth == 2)
        ):
            size = self.draw.randint(1, SMALL)
            at = self.draw.randrange(len(value) - size + 1)
            value = value[at : at + size]
        if isinstance(value, dict) and len(value) > SMALL:
            value = dict(self.draw.sample(list(value.items()), self.draw.randint(1, SMALL)))
        if isinstance(value, set) and len(value) > SMALL:
            value = set(self.draw.sample(sorted(value, key=repr), self.draw.randint(1, SMALL)))
        if isinstance(value, list) and depth:
            return [self.shorten(item, depth - 1) for item in value]
        return value

    def change(self, value: Any, at: int = -1) -> Any:
        """A value of the same type, or one that another call has at this place."""
        if at >= 0 and self.draw.random() < 0.12:
            seen = [c.values[at] for c in self.bases if len(c.values) > at and not isinstance(c.values[at], Opaque)]
            return self.shorten(self.draw.choice(seen)) if seen else value
        kinds: dict[type, Callable[[Any], Any]] = {
            bool: lambda v: not v, int: self.whole, float: self.real, str: self.text, bytes: self.data,
            list: self.sequence, tuple: self.record, dict: self.mapping, set: self.group,
            frozenset: lambda v: frozenset(self.group(set(v))), bytearray: lambda v: bytearray(self.data(bytes(v))),
            complex: lambda v: complex(self.real(v.real), self.real(v.imag)),
        }  # fmt: skip
        make = kinds.get(type(value))
        return make(value) if make else value

    def whole(self, value: int) -> int:
        """Neighbours, boundaries, lengths and items of the other arguments."""
        sizes = [len(other) for other in self.others if isinstance(other, list | tuple | str | dict | set)]
        items = [i for other in self.others if isinstance(other, list | tuple) for i in other[:50] if type(i) is int]
        near = [n for n in self.constants if type(n) is int] + sizes + items[:5]
        small = -9 <= value <= 99
        options: list[Callable[[], int]] = [
            lambda: value + self.draw.choice((-2, -1, 1, 2)),
            lambda: -value,
            lambda: self.draw.choice((0, 1, -1, 2)),
            lambda: self.draw.randint(0, 12) if small else self.draw.randint(0, abs(value)),
            lambda: self.draw.choice(near) + self.draw.choice((-1, 0, 0, 1)) if near else self.draw.choice(_INTS),
            lambda: value * 2 + self.draw.choice((0, 1)),
            lambda: self.draw.choice(_INTS[:10]) if self.draw.random() < 0.8 else self.draw.choice(_INTS),
        ]
        return self.draw.choice(options)()

    def real(self, value: float) -> float:
        """Neighbours and the values that break sums and comparisons."""
        options: list[Callable[[], float]] = [
            lambda: -value, lambda: self.draw.choice(_FLOATS), lambda: value * self.draw.choice((2.0, 0.5, 1e-8, 1e8)),
            lambda: value + self.draw.choice((0.1, -0.1, 1.0)), lambda: self.draw.uniform(-10, 10),
            lambda: float(self.draw.randint(-5, 5)),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def text(self, value: str) -> str:
        """Shorter, longer, other case, other white space, and the function's own constants within."""
        words = [c for c in self.constants if type(c) is str and 0 < len(c) < 20]
        words += [o for o in self.others if type(o) is str and len(o) < 20]
        at = self.place(value)
        options: list[Callable[[], str]] = [
            lambda: "", lambda: value[:at], lambda: value[at:], lambda: value[::-1], lambda: value + value,
            lambda: value[:at] + self.draw.choice(_CHARS) + value[at:], lambda: value[:at] + value[at + 1 :],
            lambda: value[:at] + (self.draw.choice(words) if words else " ") + value[at:],
            lambda: value[:at] + "".join(self.draw.sample(_ODD, 2)) + value[at:],
            lambda: value.upper(), lambda: value.lower(), lambda: f" {value} ", lambda: self.shuffled(value),
            lambda: value[:at] + value[max(0, at - 1) : at] + value[at:],
            lambda: value.replace(value[at - 1 : at] or "a", self.draw.choice(_CHARS[:24])),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def place(self, value: str) -> int:
        """Somewhere, half of the time beside what is no letter: a text's structure is there."""
        marks = [at for at, char in enumerate(value) if not char.isalnum()]
        if marks and self.draw.random() < 0.5:
            return self.draw.choice(marks) + self.draw.randint(0, 1)
        return self.draw.randint(0, len(value))

    def shuffled(self, value: str) -> str:
        """The same characters in another order."""
        return "".join(self.draw.sample(value, len(value)))

    def data(self, value: bytes) -> bytes:
        """As text, on bytes."""
        return self.text(value.decode("latin1")).encode("latin1", "replace")

    def sequence(self, value: list[Any]) -> list[Any]:
        """Shorter, longer, sorted, reversed, repeated, or with items changed."""
        item = self.draw.choice(value) if value else self.item()
        options: list[Callable[[], list[Any]]] = [
            lambda: [], lambda: value[:1], lambda: value[:-1], lambda: value[1:], lambda: value[::-1],
            lambda: self.ordered(value), lambda: self.ordered(value)[::-1], lambda: value + value,
            lambda: [*value, item], lambda: [item, *value], lambda: [item] * max(2, min(len(value), 6)),
            lambda: self.draw.sample(value, len(value)),
            *[lambda: self.items(value)] * 5, lambda: [*value, self.change(item)],
            lambda: [self.change(i) for i in value[:SMALL]], lambda: self.with_odd(value),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def item(self) -> Any:
        """An item for a list that has none: of a list that another call has, or a number."""
        lists = [value for call in self.bases for value in call.values if isinstance(value, list) and value]
        return self.draw.choice(self.draw.choice(lists)) if lists else self.draw.randint(0, 9)

    def with_odd(self, value: list[Any]) -> list[Any]:
        """An item that is false, or nothing, among the others: where the original takes it, a draft must."""
        at = self.draw.randint(0, len(value))
        return [*value[:at], self.draw.choice((None, None, 0, "", False)), *value[at:]]

    def ordered(self, value: list[Any]) -> list[Any]:
        """Sorted where it can be."""
        try:
            return sorted(value)
        except TypeError:
            return value

    def items(self, value: list[Any]) -> list[Any]:
        """One item changed, or made equal to another."""
        if not value:
            return [self.item()]
        at = self.draw.randrange(len(value))
        new = self.change(value[at]) if self.draw.random() < 0.7 else self.draw.choice(value)
        return [*value[:at], new, *value[at + 1 :]]

    def record(self, value: tuple[Any, ...]) -> tuple[Any, ...]:
        """A record keeps its length; one with items of one type may also lose or win some."""
        if len(value) > 3 and len({type(item) for item in value}) == 1 and self.draw.random() < 0.5:
            return tuple(self.sequence(list(value)))
        return tuple(self.items(list(value))) if value else value

    def mapping(self, value: dict[Any, Any]) -> dict[Any, Any]:
        """Fewer keys, other values, another order, a new key."""
        if not value:
            return value
        key = self.draw.choice(list(value))
        rest = {k: v for k, v in value.items() if k != key}
        options: list[Callable[[], dict[Any, Any]]] = [
            lambda: {}, lambda: rest, lambda: {key: value[key]}, lambda: dict(reversed(value.items())),
            *[lambda: {**value, key: self.change(value[key])}] * 4, lambda: {**value, self.hashable(key): value[key]},
        ]  # fmt: skip
        return self.draw.choice(options)()

    def group(self, value: set[Any]) -> set[Any]:
        """One item more, less or changed."""
        items = sorted(value, key=repr)
        if not items:
            return value
        item = self.draw.choice(items)
        options: list[Callable[[], set[Any]]] = [
            lambda: set(), lambda: value - {item}, lambda: value | {self.hashable(item)}, lambda: {item},
            lambda: value - {item} | {self.hashable(item)},
        ]  # fmt: skip
        return self.draw.choice(options)()

    def hashable(self, value: Any) -> Any:
        """A changed value that may be a key."""
        new = self.change(value)
        try:
            hash(new)
        except TypeError:
            return value
        return new


def grow(text: str, factor: int, seed: int = 0) -> str | None:
    """The call with every list, text and dictionary that has some size `factor` times as long, and varied; None when
    nothing in it can grow. A call of numbers alone grows by its largest number."""
    call = read(text)
    if call is None:
        return None
    maker = _Maker(random.Random(seed), [call], [], False)
    grown = call
    for at, value in enumerate(call.values):
        if isinstance(value, list | str | bytes) and len(value) > 2:
            grown = grown.with_value(at, _longer(value, factor, maker))
    if grown == call:
        numbers = [(value, at) for at, value in enumerate(call.values) if type(value) is int and 1 < value < 10**6]
        if not numbers:
            return None
        value, at = max(numbers)
        grown = call.with_value(at, int(value * (1 + factor / 4)) + 1)
    return grown.text()


def _longer(value: Any, factor: int, maker: _Maker) -> Any:
    """Copies one after another; of lists of numbers and texts each copy is a little different."""
    if not isinstance(value, list):
        return value * factor
    found = list(value)
    spread = max((abs(item) for item in value if type(item) is int), default=0) * factor
    for _ in range(factor - 1):
        for item in value:
            if type(item) is int:
                found.append(maker.draw.randint(0 if min(value, default=0) >= 0 else -spread, max(spread, 1)))
            elif type(item) is float:
                found.append(maker.draw.uniform(0.5, 1.5) * item)
            elif type(item) is str:
                found.append(maker.shuffled(item))
            else:
                found.append(item)
    return found
