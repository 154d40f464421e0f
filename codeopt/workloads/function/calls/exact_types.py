"""Known calls with one part of the same value and another exact type: an OrderedDict, a member of an IntEnum, a list of
lists in place of a list of numbers, an array that is a view.

A draft that asks `type(x) is dict`, copies by JSON or puts items into a set takes them for something else. A reader of
the function would not think of them, so that they are outside of each contract: see `Seen.breaks`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from codeopt.workloads.contract.seen import ARRAY, VIEW
from codeopt.workloads.source.literals import Call, Constructed, Opaque, read_all

BASES = 12
"""Known calls of which parts are changed, the shortest: the longest of these come first, as they have most parts."""
LARGEST = 2_000
"""Characters of such a call."""
OF_ONE = 24
"""Maximum number of calls that are made from one known one."""
DEPTH = 4
"""Levels of containers that are looked into."""
ITEMS = 2
"""Number of items of a container that are looked into: the others are mostly of the same type."""


def other_exact_types(known: Sequence[str]) -> Iterator[str]:
    """Yield calls with one part changed, by turns from each of a few known ones."""
    short = read_all(islice((text for text in sorted(known, key=len) if text != "f()"), BASES))
    made = [islice(_calls(call), OF_ONE) for call in reversed(short) if len(call.text()) <= LARGEST]
    while made:
        found = [next(each, None) for each in made]
        yield from (call.text() for call in found if call is not None)
        made = [each for each, call in zip(made, found, strict=True) if call is not None]


def _calls(call: Call) -> Iterator[Call]:
    for at, value in enumerate(call.values):
        yield from (call.with_value(at, other) for other in _others(value, DEPTH))


def _others(value: Any, depth: int) -> Iterator[Any]:
    """Yield the value as each other type of its row of the table, then with each of a few parts so changed."""
    if isinstance(value, Constructed):
        row = ARRAYS if value.maker == ARRAY else ()
        parts: list[tuple[Any, Any]] = [] if row else [*enumerate(value.values)]
    else:
        row = OTHERS.get(type(value), ())
        parts = [*value.items()] if isinstance(value, dict) else []
        parts = [*enumerate(value)] if isinstance(value, list | tuple) else parts
    yield from (other for make in row if (other := make(value)) is not None)
    for key, part in parts[:ITEMS] if depth else ():
        for other in _others(part, depth - 1):
            if isinstance(value, Constructed):
                yield value.with_value(key, other)
            elif isinstance(value, dict):
                yield {**value, key: other}
            else:
                yield type(value)([*value[:key], other, *value[key + 1 :]])


def _made(module: str, name: str, *args: Any) -> Constructed:
    return Constructed(f"load('{module}', '{name}')", args)


def _subclass(base: str) -> Callable[[Any], Constructed]:
    """Return what makes an object of a class that is made on the spot: no module has one for each value."""
    maker = f"load('types', 'new_class')('{base.title()}Subclass', (load('builtins', '{base}'),))"
    return lambda value: Constructed(maker, (value,))


def _counter(value: dict[Any, Any]) -> Constructed | None:
    return _made("collections", "Counter", value) if all(type(item) is int for item in value.values()) else None


def _by_number(value: dict[Any, Any]) -> dict[Any, Any] | None:
    return dict(enumerate(value.values())) if not any(type(key) is int for key in value) else None


def _by_pair(value: dict[Any, Any]) -> dict[Any, Any] | None:
    return {(key, at): item for at, (key, item) in enumerate(value.items())}


def _joined(value: list[Any]) -> str | None:
    """A text in place of a list of characters."""
    return "".join(value) if value and all(type(item) is str and len(item) == 1 for item in value) else None


def _cannot_be_hashed(value: list[Any]) -> list[Any] | None:
    """Items that no set takes, in place of numbers and texts."""
    return [[item] for item in value] if value and all(type(item) in (int, float, str) for item in value) else None


def _named_tuple(value: tuple[Any, ...]) -> Constructed | None:
    names = [f"item{at}" for at in range(len(value))]
    return Constructed(f"load('collections', 'namedtuple')('NamedTuple', {names})", value) if value else None


def _enum_member(value: int) -> Constructed:
    return Constructed(f"load('enum', 'IntEnum')('IntEnumMember', {{'ITEM': {value}}})", (value,))


OTHERS: dict[type, Sequence[Callable[[Any], Any]]] = {
    dict: (
        lambda v: _made("collections", "OrderedDict", v),
        lambda v: _made("collections", "defaultdict", Opaque("load('builtins', 'list')"), v),
        _counter, _by_number, _by_pair,
    ),
    list: (tuple, _joined, _cannot_be_hashed),
    tuple: (_named_tuple,),
    int: (_enum_member, _subclass("int")),
    str: (_subclass("str"),),
}  # fmt: skip
"""By type, what makes a value of another one that is equal or takes its place; None where nothing does."""


def _viewed(rows: Any, dtype: str, *index: Any) -> Constructed:
    return Constructed(VIEW, (Constructed(ARRAY, (rows, dtype)), index if len(index) > 1 else index[0]))


def _each_twice(rows: list[Any]) -> list[Any]:
    if _is_flat(rows):
        return [*(item for item in rows for _ in range(2)), *rows[-1:]]  # else one stride would be that of all items
    return [_each_twice(row) for row in rows]


def _is_flat(rows: list[Any]) -> bool:
    return not any(isinstance(row, list) for row in rows)


def _slice(stop: int | None, step: int) -> Constructed:
    return Constructed("slice", (None, stop, step))


def _in_fortran_order(array: Constructed) -> Constructed | None:
    flat = _is_flat(array.args[0]) or array.kwargs
    return None if flat else Constructed(ARRAY, array.args, (("order", "F"),))


ARRAYS: Sequence[Callable[[Constructed], Constructed | None]] = (
    lambda v: _viewed(_each_twice(v.args[0]), v.args[1], ..., _slice(-1, 2)),
    lambda v: _viewed(v.args[0][::-1], v.args[1], _slice(None, -1)),
    _in_fortran_order,
)
"""Other layouts in memory of an array with items: each second column, rows backwards, columns first."""
