"""Generated calls from known ones: empty, single, repeated, negated, boundary, larger. The original gives the results.

Values come from a dictionary, as in a fuzzer:
- constants of the function's own text (vocabulary.py)
- tokens of known texts (texts.py)
- lengths and items of the other arguments
- values of other calls at the same place

Types stay as they were seen. The same seed gives the same calls.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from codeopt.core.call import Call, Constructed, Opaque, with_part
from codeopt.workloads.contract.properties import resized
from codeopt.workloads.contract.relations import ARRAYS, content
from codeopt.workloads.contract.seen import hashed
from codeopt.workloads.generated.vocabulary import Texts, Vocabulary, texts_in

SMALL = 12
"""Items of a container that a derived call keeps, most of the time: small calls show the same and are read more
easily."""
LONGEST = 20_000
"""Characters of a derived call."""
PLANNED = 8
"""Number of derived calls of which one is not drawn (`Texts.constants_at_fields`) and one is `Maker.usual`."""
OF_ONE = 40
"""Maximum number of usual calls that are made from one known one."""
ITEMS = 3
"""Number of items of a container that are replaced by usual values."""
LINE = 60
"""Characters of a text that is one line or less."""
BASES = 20
"""Known calls that constants of the function are put into."""
_EMPTY = (int, float, str, bytes, bool, list, dict, tuple)
_INTS = (0, 1, -1, 2, 3, 7, 10, 31, 64, 100, 255, 256, 1000, 2**31 - 1, 2**31, 2**63, -(2**31), -(2**63) - 1)
_FLOATS = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-9, 1e9, 1e16, 1e308, float("inf"), float("-inf"), float("nan"), 0.1, 2.5)


def derive(
    bases: Sequence[Call], count: int, seed: int, words: Vocabulary | None = None, *, small: bool = True
) -> list[Call]:
    """Up to `count` calls near known ones, none of them among them.

    words: what the function's text speaks of, tried as values. small: cut large arguments down first.
    """
    if not bases:
        return []
    maker = Maker(random.Random(seed), bases, words or Vocabulary(), small)
    known = {*bases}
    found: list[Call] = []
    planned = maker.with_constants(count // PLANNED)
    usual = islice(maker.usual(), count // PLANNED)
    for call in chain(planned, usual, maker.drawn(len(planned), count * 4)):
        if call not in known and len(call.text) < LONGEST:
            known.add(call)
            found.append(call)
        if len(found) >= count:
            break
    return found


def can_be_varied(call: Call) -> bool:
    """Return True if an argument can be changed, or if there are no arguments."""
    varied = not call.values or any(not isinstance(value, Opaque) for value in call.values)
    return call.is_read and varied and len(call.text) < LONGEST


class Maker:
    """Changes one call at a time."""

    def __init__(self, draw: random.Random, bases: Sequence[Call], words: Vocabulary, small: bool) -> None:
        self.draw, self.bases, self.small = draw, bases, small
        self.numbers, self.none, self.keys = words.numbers, words.none, words.keys
        known = [text for call in bases[:200] for value in call.values for text in texts_in(value)]
        self.texts = Texts(draw, *words.words, known)
        self.others: list[Any] = []
        self.seen: dict[int, list[Any]] = {}
        """Values that calls give, by place."""
        self.kinds: dict[type, Callable[[Any], Any]] = {
            bool: lambda v: not v, int: self.whole, float: self.real, str: self.text, bytes: self.data,
            list: self.sequence, tuple: self.record, dict: self.mapping, set: self.group,
            frozenset: lambda v: frozenset(self.group(set(v))), bytearray: lambda v: bytearray(self.data(bytes(v))),
            complex: lambda v: complex(self.real(v.real), self.real(v.imag)), Constructed: self.made,
        }  # fmt: skip

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
            call = call.with_value(at, self.change(self.alike(call.values[at]), at))
        return call

    def with_constants(self, most: int) -> list[Call]:
        """Known calls, each with a constant of the function's at a field of one of its texts."""
        found = [
            call.with_value(at, text.encode("latin1", "replace") if isinstance(value, bytes) else text)
            for call in self.bases[:BASES]
            for at, value in enumerate(call.values)
            if isinstance(value, str | bytes) and len(value) <= LINE
            for text in self.texts.constants_at_fields(value if isinstance(value, str) else value.decode("latin1"))
        ]
        return found if len(found) <= most else self.draw.sample(found, most)

    def usual(self) -> Iterator[Call]:
        """Yield calls that people make sooner or later, and that a draw may miss: known ones with each text changed as
        `Texts.usual` says."""
        for call in self.bases[:BASES]:
            few = call
            for at, value in enumerate(call.values):
                few = few.with_value(at, _few(value))
            changed = (few.with_value(at, new) for at, value in enumerate(few.values) for new in self.with_usual(value))
            yield from islice(changed, OF_ONE)

    def with_usual(self, value: Any) -> Iterator[Any]:
        """Yield a value with one of its texts changed; a list also with that item alone."""
        if isinstance(value, str):
            yield from self.texts.usual(value)
        elif isinstance(value, list | tuple | Constructed) and getattr(value, "maker", "") not in ARRAYS:
            for at, part in enumerate(value.values if isinstance(value, Constructed) else value):
                for new in self.with_usual(part):
                    yield with_part(value, at, new)
                    if isinstance(value, list) and len(value) > 1 and not at:
                        yield [new]
        elif isinstance(value, dict):
            yield from ({**value, key: new} for key, item in value.items() for new in self.with_usual(item))

    def drawn(self, first: int, end: int) -> Iterator[Call]:
        """The known calls by turns, each changed, as long as there is room for those of one."""
        size = [0] * len(self.bases)
        for attempt in range(first, end):
            at = attempt % len(self.bases)
            # Maximum size of all generated calls, characters, divided among the known ones. An object that was recorded
            # as a whole is parsed for each call that is generated from it.
            if size[at] <= 2_000_000 // len(self.bases):
                call = self.one(self.bases[at])
                size[at] += len(call.text)
                yield call

    def alike(self, value: Any) -> Any:
        """Now and then what another argument is: two that are equal, or nearly."""
        kind = getattr(value, "maker", type(value))
        same = [v for v in self.others if getattr(v, "maker", type(v)) == kind and not isinstance(value, Opaque)]
        return self.draw.choice(same) if same and self.draw.random() < 0.08 else value

    def shorten(self, value: Any, depth: int = 2) -> Any:
        """A container or text with at most SMALL items, from somewhere within it. A line of text is mostly kept: what
        it begins with may say what it is."""
        line = isinstance(value, str | bytes) and len(value) <= LINE and self.draw.random() < 0.75
        if (
            isinstance(value, list | str | bytes | tuple)
            and len(value) > SMALL
            and not line
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
        if isinstance(value, Constructed) and depth:
            for at, part in enumerate(value.values):
                value = value.with_value(at, self.shorten(part, depth - 1))
        return value

    def change(self, value: Any, at: int = -1) -> Any:
        """A value of the same type, or one that another call has at this place."""
        if at >= 0 and self.draw.random() < 0.12:
            if at not in self.seen:
                every = [call.values for call in self.bases if len(call.values) > at]
                self.seen[at] = [values[at] for values in every if not isinstance(values[at], Opaque)]
            seen = self.seen[at]
            return self.shorten(self.draw.choice(seen)) if seen else value
        make = self.kinds.get(type(value))
        return make(value) if make else value

    def made(self, value: Constructed) -> Constructed:
        """One of what an object is made of changed; for one that no arguments make there is nothing to change."""
        if value.maker in ARRAYS:
            change = self.array if isinstance(content(value), list) else self.frame
            return change(value, content(value))
        places = [at for at, part in enumerate(value.values) if not isinstance(part, Opaque)]
        if not places:
            return value
        at = self.draw.choice(places)
        return value.with_value(at, self.change(value.values[at]))

    def array(self, value: Constructed, rows: list[Any]) -> Constructed:
        """Items moved far away, scaled, close together or missing; rows again, gone, in another order; another type."""
        row, dtype = self.draw.choice(rows) if rows else 0, value.args[1]
        at, real = self.draw.randrange(max(1, len(rows))), dtype.startswith("float")
        far, close = self.draw.choice((1, 100, -1000, 10**6, 10**8)), self.draw.choice((1e-9, 1e-6))
        by = self.draw.choice((-1, 2, 1000, 0.5, 1e-3)) if real else self.draw.choice((-1, 2, 1000))
        start = next(_numbers(rows), 0)
        options: list[Callable[[], Any]] = [
            lambda: _each(rows, lambda v: v + far), lambda: _each(rows, lambda v: v * by),
            lambda: [*rows[:at], self.change(row), *rows[at + 1 :]], lambda: [*rows[:at], row, *rows[at + 1 :]],
            lambda: [*rows[:at], row, *rows[at:]], lambda: rows[:at] or rows, lambda: rows[::-1], lambda: [row] * 3,
            lambda: self.ordered(rows), lambda: rows + rows, lambda: [] if type(row) is not list else rows[:1],
        ]  # fmt: skip
        if real:
            options += [lambda: _each(rows, lambda v: start + v * close),
                        lambda: [*rows[:at], _each(row, lambda v: float("nan")), *rows[at + 1 :]]]  # fmt: skip
        if self.draw.random() < 0.1:
            return value.with_value(1, self.draw.choice(("float32", "int64")) if real else "float64")
        return value.with_value(0, self.draw.choice(options)())

    def frame(self, value: Constructed, columns: dict[str, list[Any]]) -> Constructed:
        """A cell changed or missing; rows again, gone, in another order, none; a column of another type."""
        size = min(map(len, columns.values()), default=0)
        name, rows = self.draw.choice(list(columns)), [*range(size)]
        at = self.draw.randrange(max(1, size))
        column = columns[name]
        changed, none = [*column[:at], *map(self.change, column[at : at + 1]), *column[at + 1 :]], [*column]
        none[at : at + 1] = [None] * bool(size)
        typed = _each(column, lambda v: int(v) if type(v) is bool else float(v))
        if self.draw.random() < 0.5:
            return value.with_value(0, {**columns, name: self.draw.choice((changed, changed, none, typed))})
        some = self.draw.choice(
            ([], rows[:at], rows[::-1], rows[at:] + rows[at : at + 1], rows[at : at + 1] * 3, rows * 2)
        )
        return value.with_value(0, {name: [each[row] for row in some] for name, each in columns.items()})

    def whole(self, value: int) -> int:
        """Neighbours, boundaries, lengths and items of the other arguments."""
        sizes = [len(other) for other in self.others if isinstance(other, list | tuple | str | dict | set)]
        items = [i for other in self.others if isinstance(other, list | tuple) for i in other[:50] if type(i) is int]
        near = self.numbers + sizes + items[:5]
        small = -9 <= value <= 99
        options: list[Callable[[], int]] = [
            lambda: value + self.draw.choice((-2, -1, 1, 2)),
            lambda: -value,
            lambda: self.draw.choice((0, 1, -1, 2)),
            lambda: self.draw.randint(0, 12) if small else self.draw.randint(0, abs(value)),
            lambda: self.draw.choice(near) + self.draw.choice((-1, 0, 0, 1)) if near else self.draw.choice(_INTS),
            lambda: self.power(self.draw.choice(near) if near else 10),
            lambda: value * 2 + self.draw.choice((0, 1)),
            lambda: self.draw.choice(_INTS[:10]) if self.draw.random() < 0.8 else self.draw.choice(_INTS),
        ]
        return self.draw.choice(options)()

    def power(self, value: int) -> int:
        """A number where a number of digits, or a unit, changes: at the powers and multiples of a number, and just
        before."""
        found = value ** self.draw.choice((2, 2, 3, 4)) if abs(value) < 10_000 else value
        return self.draw.choice((1, 1, -1)) * found * self.draw.choice((1, 1, 1, 2)) - self.draw.choice((0, 1, 1))

    def real(self, value: float) -> float:
        """Neighbours and the values that break sums and comparisons."""
        options: list[Callable[[], float]] = [
            lambda: -value, lambda: self.draw.choice(_FLOATS), lambda: value * self.draw.choice((2.0, 0.5, 1e-8, 1e8)),
            lambda: value + self.draw.choice((0.1, -0.1, 1.0)), lambda: self.draw.uniform(-10, 10),
            lambda: float(self.draw.randint(-5, 5)), lambda: float(self.whole(int(self.draw.choice((1, 10, 100))))),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def text(self, value: str) -> str:
        """A changed text, made by `Texts`, or one of another length."""
        if self.draw.random() < 0.08:
            return str(self.sized(value))
        return self.texts.change(value, self.others)

    def data(self, value: bytes) -> bytes:
        """Changed bytes, made as texts are."""
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
            lambda: [self.change(i) for i in value[:SMALL]], lambda: self.with_odd(value), lambda: self.sized(value),
            lambda: self.with_twin(value),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def sized(self, value: Any) -> Any:
        """As long as a number of the function's text, or one more or less: `if len(name) <= 15`."""
        sizes = [number for number in self.numbers if 1 < number <= LINE]
        wanted = self.draw.choice(sizes) + self.draw.choice((-1, 0, 1)) if sizes else len(value)
        return resized(value, wanted) if value else value

    def item(self) -> Any:
        """Return an item for an empty list: one of another call's list, or a number."""
        lists = [value for call in self.bases for value in _lists(call.values) if value]
        return self.draw.choice(self.draw.choice(lists)) if lists else self.draw.randint(0, 9)

    def with_odd(self, value: list[Any]) -> list[Any]:
        """Insert a false value of a type that the list holds among the items, or None if the function speaks of None:
        a candidate must accept it if the original does."""
        at = self.draw.randint(0, len(value))
        like = value or next((each for call in self.bases for each in _lists(call.values) if each), [])
        kinds = {type(item) for item in like}
        odd = [kind() for kind in _EMPTY if kind in kinds] + [None] * (self.none or type(None) in kinds)
        return [*value[:at], self.draw.choice(odd), *value[at:]] if odd else value

    def with_twin(self, value: list[Any]) -> list[Any]:
        """A number among the others that is equal to one of them and of another type, of those that the list holds."""
        kinds = {type(item) for item in value}
        several = len(kinds & {bool, int, float}) > 1  # a long list of one kind need not be gone through
        twins = []
        for item in value if several else ():
            if type(item) in (bool, int, float) and item == item and abs(item) <= 2**50 and item == int(item):
                others = (bool, int, float) if type(item) is not float and item in (0, 1) else (int, float)
                twins += [kind(item) for kind in others if kind is not type(item) and kind in kinds]
        at = self.draw.randint(0, len(value))
        return [*value[:at], self.draw.choice(twins), *value[at:]] if twins else self.with_odd(value)

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
        read = [name for name in self.keys if name not in value] if type(key) is str else []
        options: list[Callable[[], dict[Any, Any]]] = [
            *[lambda: {**value, self.draw.choice(read): value[key]}] * bool(read),
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
        return hashed(self.change(value), value)


def _few(value: Any) -> Any:
    """The first items of a list, and of the lists in it."""
    if isinstance(value, list):
        return [_few(item) for item in value[:ITEMS]]
    return {key: _few(item) for key, item in value.items()} if isinstance(value, dict) else value


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A value with each of the numbers in its lists changed."""
    if isinstance(value, list):
        return [_each(item, change) for item in value]
    return change(value) if isinstance(value, int | float) and math.isfinite(value) else value


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        yield from (number for item in value for number in _numbers(item))
    elif isinstance(value, int | float):
        yield value


def _lists(values: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the lists among some values, also those inside of objects."""
    for value in values:
        if isinstance(value, list):
            yield value
        elif isinstance(value, Constructed):
            yield from _lists(value.values)
