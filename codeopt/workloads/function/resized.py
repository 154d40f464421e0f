"""Known calls at other sizes: grown until they can be timed, and cut where they take too long."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from codeopt.core.call import Call, Constructed, Recipe
from codeopt.workloads._sizes import LONG_S, find_part, part_words
from codeopt.workloads.function.corpus.observe import KnownCall
from codeopt.workloads.generated.larger import can_grow, grow
from codeopt_sandbox.guest.calls.recipes import SORTED

MOST_ITEMS = 1_000_000
"""Maximum number of items of a call."""
LOOKED_AT = 2_000
"""Items of a known value that are looked at."""
CHANCE = 0.1
"""Largest probability that distinct or sorted items are so by chance, where they are kept so."""
LONGER = 3
"""Letters that a new word has more than known ones, at most."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CONTAINERS = (list, dict, set, frozenset)
Place = tuple[int, ...]
"""An argument, or a part of what an object is made of: places of `values`."""


class _NoRecipe(Exception):
    """The items are of no kind that a recipe can name."""


@dataclass(frozen=True)
class RecipeGrowth:
    """A way in which a call becomes larger by recipes."""

    base: Call
    places: tuple[Place, ...]
    """Arguments that grow."""
    known: tuple[Call, ...]
    """Calls of which the items are learned."""
    wide: bool
    """Numbers grow with the size, and words may be new; else all are like known ones."""

    def call(self, factor: int, seed: int) -> Call | None:
        """The call with each argument enlarged by a factor; None if it would be too large, or cannot be built."""
        sizes = self._sizes(factor)
        grown = self.base
        try:
            for at, (place, size) in enumerate(sizes.items()):
                recipe = _recipe(_at(self.base, place), self._values(place), size, seed + at, self.wide)
                grown = _with(grown, place, recipe)
        except _NoRecipe:
            return None
        for at, value in enumerate(self.base.values):
            # an argument that is the length of another one in all known calls
            same = (p for p in self.places if all(_at(call, (at,)) == _length(call, p) for call in self.known))
            if type(value) is int and value > 1 and (of := next(same, None)) is not None:
                grown = grown.with_value(at, sizes[of])
        return grown if items_of(grown) <= MOST_ITEMS else None

    def _sizes(self, factor: int) -> dict[Place, int]:
        """Size of each argument. Where the lengths of two differ by the same number in all known calls, they do so."""
        sizes: dict[Place, int] = {}
        for place in self.places:
            length = len(_at(self.base, place))
            size = round(length * factor**0.5) if _are_square(self._values(place)) else length * factor
            apart = {other: self._apart(place, other) for other in sizes}
            sizes[place] = next((sizes[other] + number for other, number in apart.items() if number is not None), size)
        # An object is made once for many calls: what it is made of exceeds the largest known only as the arguments do
        most = {place: max(map(len, self._values(place))) for place in sizes}
        ratio = max(1.0, min((sizes[place] / most[place] for place in sizes if len(place) == 1), default=math.inf))
        for place in (each for each in sizes if len(each) > 1):
            sizes[place] = round(min(sizes[place], max(len(_at(self.base, place)), most[place] * ratio)))
        return sizes

    def _apart(self, place: Place, other: Place) -> int | None:
        """Return the difference of two lengths that all known calls share. None if it varies."""
        pairs = [(_length(call, place), _length(call, other)) for call in self.known]
        found = {one - two for one, two in pairs if one is not None and two is not None}
        several = len({two for _, two in pairs}) > 1
        return found.pop() if len(found) == 1 and (several or found == {0}) else None

    def _values(self, place: Place) -> list[Any]:
        """Values of known calls there, of the type of the base's."""
        return _values(self.base, self.known, place)


@dataclass(frozen=True)
class TextGrowth:
    """A way in which a call becomes larger as it is written: of numbers alone, or with objects among its items."""

    base: Call

    def call(self, factor: int, seed: int) -> Call | None:
        """The call with every part that can grow enlarged by a factor; None if no part can."""
        return grow(self.base, factor, seed)


def growths(base: Call, known: Sequence[Call]) -> list[RecipeGrowth | TextGrowth]:
    """Ways in which a call may become larger, the first those in which all arguments do. known: calls that say what
    arguments are like."""
    shape = len(base.args), [name for name, _ in base.kwargs]
    same = tuple(call for call in known if (len(call.args), [name for name, _ in call.kwargs]) == shape) or (base,)
    places = [place for place in _places(base) if not _are_records(_values(base, same, place))]
    containers = [place for place in places if not isinstance(_at(base, place), str | bytes)]
    texts = [place for place in places if place not in containers]
    # characters of a text that is data: a shorter one may be a separator or a mode
    together = containers or [place for place in texts if len(_at(base, place)) >= 3] or texts[:1]
    longest = max(together, key=lambda place: len(_at(base, place)), default=())
    ways = [tuple(together), (longest,)][: min(2, len(together))]
    return [*(RecipeGrowth(base, way, same, wide) for way in ways for wide in (True, False)), TextGrowth(base)]


def can_become_larger(call: Call) -> bool:
    return can_grow(call) or any(True for _ in _places(call))


def other_seeds(known: Sequence[Call], count: int) -> list[Call]:
    """Return calls that have recipes, `count` times each, with other items of the same kinds; fewer where large."""
    calls = [call for call in known if items_of(call)]
    most = min(count, 2 * MOST_ITEMS // max(map(items_of, calls))) if calls else 0
    return list(dict.fromkeys(with_seed(call, 100 * (1 + at)) for at in range(most) for call in calls))


def with_seed(value: Any, seed: int) -> Any:
    """A call, or a part of one, with other items of the same kinds where it has recipes."""
    if isinstance(value, Recipe):
        return replace(value, seed=value.seed + seed)
    for at, part in enumerate(value.values if isinstance(value, Call | Constructed) else ()):
        value = value.with_value(at, with_seed(part, seed))
    return value


def items_of(value: Any) -> int:
    """Number of items of all recipes in a call, those in items too."""
    if isinstance(value, Recipe):
        return round(value.size * (1 if value.container in ("str", "bytes") else _weight(value.kind)))
    return sum(map(items_of, value.values)) if isinstance(value, Call | Constructed) else 0


def _weight(kind: tuple[Any, ...]) -> float:
    """Mean number of items in an item of a kind, itself included; of a pair of kinds in both."""
    name, *rest = kind
    if isinstance(name, tuple):
        return sum(map(_weight, kind))
    if name in ("list", "tuple"):
        return 1 + _weight(rest[0]) * float(rest[1] + rest[2]) / 2
    if name in ("record", "dict"):
        return 1 + sum(map(_weight, rest[-1]))
    return max(map(_weight, rest[0])) if name == "either" else 1


def _values(base: Call, known: Sequence[Call], place: Place) -> list[Any]:
    kind = type(_at(base, place))
    return [value for call in known if type(value := _at(call, place)) is kind]


def _places(call: Call | Constructed, inside: bool = False) -> Iterator[Place]:
    """Containers and texts of a call that may grow; in objects containers alone."""
    for at, value in enumerate(call.values):
        several = isinstance(value, tuple) and len(value) > 3 and len({type(item) for item in value}) == 1
        if several or (value and isinstance(value, _CONTAINERS if inside else (*_CONTAINERS, str, bytes))):
            yield (at,)
        elif isinstance(value, Constructed) and value.maker.startswith(("load(", "used", "iter", "deque")):
            yield from ((at, *rest) for rest in _places(value, inside=True))


def _are_records(values: Sequence[Any]) -> bool:
    """Return True if the keys of dicts are field names: values of several types, or the same keys in all dicts."""
    dicts = [value for value in values if isinstance(value, dict)]
    mixed = any(len({type(item) for item in value.values()}) > 1 for value in dicts)
    return mixed or (len(dicts) > 1 and len({frozenset(value) for value in dicts}) == 1)


def _are_square(values: Sequence[Any]) -> bool:
    return all(
        isinstance(value, list)
        and len(value) > 1
        and all(isinstance(row, list) and len(row) == len(value) for row in value)
        for value in values
    )


def _at(call: Call | Constructed, place: Place) -> Any:
    value: Any = call
    for at in place:
        values = value.values if isinstance(value, Call | Constructed) else ()
        value = values[at] if at < len(values) else None
    return value


def _length(call: Call, place: Place) -> int | None:
    value = _at(call, place)
    return len(value) if isinstance(value, (*_CONTAINERS, tuple, str, bytes)) else None


def _with(call: Any, place: Place, value: Any) -> Any:
    """A call, or an object, with another value at a place."""
    if not place:
        return value
    return call.with_value(place[0], _with(call.values[place[0]], place[1:], value))


def _recipe(value: Any, known: Sequence[Any], size: int, seed: int, wide: bool) -> Recipe:
    """Recipe for a larger value. Raises _NoRecipe."""
    container = type(value).__name__
    if isinstance(value, str | bytes):
        return Recipe(container, size, seed, _pieces(value, wide))
    groups = [list(each)[:LOOKED_AT] for each in known if each]
    items = [item for group in groups for item in group]
    if _are_square(known):
        rows = _Kinds(size, size / len(value), wide).of([item for row in items for item in row])
        return Recipe(container, size, seed, ("list", rows, size, size))
    learn = _Kinds(size, size / len(value), wide)
    if isinstance(value, dict):
        values = [item for each in known for item in list(each.values())[:LOOKED_AT]]
        return Recipe(container, size, seed, (learn.keys(items), learn.of(values)), _order(groups))
    if isinstance(value, set | frozenset):
        return Recipe(container, size, seed, learn.keys(items))
    distinct = _are_distinct(groups)
    return Recipe(container, size, seed, (learn.keys if distinct else learn.of)(items), _order(groups), distinct)


def _pieces(value: str | bytes, wide: bool) -> tuple[Any, ...]:
    """Kind of the pieces of a longer text: its characters where it has no structure, else the text again and again."""
    if isinstance(value, str) and wide and value.isalnum():
        return "str", "".join(sorted(set(value))), 1, 1
    # characters of a known text that a longer one repeats
    if len(value) > 20_000:
        raise _NoRecipe
    if isinstance(value, str):
        mark = next((mark for mark in "\n " if mark in value), "")
        value += mark * (not value.endswith(mark))
    return "one of", (value,)


def _order(groups: Sequence[Sequence[Any]]) -> str:
    """The order that all known values have, unless it may be chance."""
    try:
        chance = math.prod(1 / math.factorial(min(len(set(group)), 20)) for group in groups)
        in_order = all(one <= other for group in groups for one, other in pairwise(group))
    except TypeError:
        return ""
    return SORTED if in_order and chance < CHANCE else ""


def _are_distinct(groups: Sequence[Sequence[Any]]) -> bool:
    """Return True if no known value repeats an item, and there are many items."""
    try:
        return sum(map(len, groups)) >= 1 / CHANCE and all(len(set(group)) == len(group) for group in groups)
    except TypeError:
        return False


@dataclass(frozen=True)
class _Kinds:
    """Learns kinds of items."""

    size: int
    factor: float
    wide: bool

    def keys(self, items: Sequence[Any]) -> tuple[Any, ...]:
        """Kind of items of which there are as many distinct ones as the size says. Raises _NoRecipe."""
        if items and all(type(item) is int for item in items):
            low = min(items)
            return "int", low if low < 1 else 1, max(max(items), low + 2 * self.size)
        if items and all(isinstance(item, str) and item for item in items):
            letters = "".join(sorted({*_LETTERS, *(c for item in items if item.isalnum() for c in item)}))
            longest = max(map(len, items))
            return "str", letters, longest, longest + 1 + round(math.log(self.size, 26))
        return replace(self, wide=True).of(items)

    def of(self, items: Sequence[Any]) -> tuple[Any, ...]:
        """Kind of some items. Raises _NoRecipe."""
        groups: dict[type, list[Any]] = {}
        for item in items[:LOOKED_AT]:
            groups.setdefault(type(item), []).append(item)
        kinds = [self._of_type(kind, group) for kind, group in groups.items()]
        if not kinds:
            raise _NoRecipe
        return kinds[0] if len(kinds) == 1 else ("either", tuple(kinds))

    def _of_type(self, kind: type, items: list[Any]) -> tuple[Any, ...]:
        if kind is int:
            # From small to large; to as many times the largest as there are more items, where they are wide
            usual = [item for item in items if abs(item) < 2**53] or items
            low, high = min(usual), max(usual)
            if not self.wide:
                return "int", low, high
            most = max(abs(low), abs(high))
            spread = max(most, min(round(most * self.factor), 4 * self.size))
            return "int", -spread if low < 0 else min(low, 1), spread
        if kind is float and all(map(math.isfinite, items)):
            low, high = min(items), max(items)
            if self.wide:
                low, high = (low * 1.5 if low < 0 else low * 0.5), (high * 1.5 if high > 0 else high * 0.5)
            return ("float", low, high) if math.isfinite(high - low) else ("one of", tuple(dict.fromkeys(items)))
        if kind is str and self.wide and all(item.isalpha() and item.isascii() for item in items):
            # Known words, and new ones of letters of the same case
            cases = [
                case
                for case in (_LETTERS, _LETTERS.upper())
                if any(letter in case for word in items for letter in word)
            ]
            lengths = [len(word) for word in items]
            new = ("str", "".join(cases), max(1, min(lengths)), max(lengths) + LONGER)
            return "either", (("one of", tuple(dict.fromkeys(items))), new)
        if kind in (list, tuple):
            return self._rows(kind, items)
        if kind is dict and len({tuple(item) for item in items}) == 1 and items[0]:
            return "dict", tuple(items[0]), tuple(self.of([item[key] for item in items]) for key in items[0])
        if kind in (type(None), bool, int, float, str, bytes) and kind is not float:
            return "one of", tuple(dict.fromkeys(items))
        raise _NoRecipe

    def _rows(self, kind: type, items: list[Any]) -> tuple[Any, ...]:
        """Rows of such lengths; of tuples of one length whose places differ in type, records."""
        lengths = {len(item) for item in items}
        name = kind.__name__
        if kind is tuple and len(lengths) == 1:
            return "record", tuple(self.of([item[at] for item in items]) for at in range(lengths.pop()))
        inner = [part for item in items for part in item]
        return (name, self.of(inner), min(lengths), max(lengths)) if inner else (name, ("int", 0, 0), 0, 0)


# A long call, cut to a share of its arguments, on which pairs are timed.


@dataclass(frozen=True)
class CallCut:
    """A part of a long call, and the whole."""

    whole: Call
    share: float
    """Length of the part in relation to the whole."""
    seconds: float
    """Time of the original on the part, seconds."""
    whole_s: float
    """Time of the original on the whole, seconds."""

    @property
    def words(self) -> str:
        """`the first 5 % of the longest call (0.7 s of 15 s), in full once`."""
        return part_words(self.share, OF, self.seconds, self.whole_s)


OF = "the longest call"
"""Name of the whole in texts."""


def cut_call(whole: KnownCall, run: Callable[[Call], KnownCall | None]) -> tuple[KnownCall, CallCut] | None:
    """Return a part of a call, with what the original does there. None if the call is short or cannot be cut.

    Args:
        whole: The call, made once.
        run: Makes a call with the original. None if it does not end as the whole does, or is not like known calls.
    """
    call = whole.call
    if whole.seconds < LONG_S or not call.can_change:
        return None

    def run_part(share: float) -> tuple[float, tuple[KnownCall, CallCut]] | None:
        part = first_part(call, share)
        found = run(part) if part is not None else None
        if found is None:
            return None
        return found.seconds, (found, CallCut(whole.call, share, found.seconds, whole.seconds))

    return find_part(whole.seconds, run_part)


def first_part(call: Call, share: float) -> Call | None:
    """Return the call with the first share of all that is long in it; of numbers alone, of the largest one.

    None if nothing in it can be cut.
    """
    part = call
    for at, value in enumerate(call.values):
        part = part.with_value(at, _first(value, share))
    if part.values != call.values:
        return part
    numbers = [(value, at) for at, value in enumerate(call.values) if type(value) is int and value > 1]
    if not numbers:
        return None
    value, at = max(numbers)
    part = call.with_value(at, max(1, round(value * share)))
    return part if part.values != call.values else None


def _first(value: Any, share: float) -> Any:
    if isinstance(value, Recipe):
        return replace(value, size=max(1, round(value.size * share)))
    if isinstance(value, Constructed):
        for at, inside in enumerate(value.values):
            if isinstance(inside, list | Constructed):
                value = value.with_value(at, _first(inside, share))
        return value
    # length of a value that stays as it is
    if not isinstance(value, list | str | bytes | dict | set | frozenset | tuple) or len(value) <= 2:
        return value
    count = max(1, round(len(value) * share))
    if isinstance(value, dict):
        return dict(list(value.items())[:count])
    if isinstance(value, set | frozenset):
        return type(value)(sorted(value, key=repr)[:count])
    record = isinstance(value, tuple) and len({type(item) for item in value}) > 1
    return value if record else value[:count]
