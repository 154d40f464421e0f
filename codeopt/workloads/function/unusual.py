"""Calls made of known ones that a draft may have forgotten: long ones, other types, omitted and wrong arguments."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from codeopt.core.call import Call, Constructed, Opaque, with_part, write
from codeopt.workloads.contract.seen import ARRAY, VIEW
from codeopt.workloads.generated.derive import SMALL, Maker
from codeopt.workloads.generated.larger import can_grow, grow
from codeopt.workloads.generated.vocabulary import Vocabulary
from codeopt.workloads.source.functions import Function, own_nodes

LEAST = 70
"""Items of a long argument: what treats short ones in another way mostly begins to at 16, 32 or 64."""
LONGEST = 150_000
"""Maximum length of a long call, characters."""
LATE = 20
"""Least length of an argument in which an item of the second half is changed, and places that are looked at for
another item."""
ODD = 12
"""Characters of a text in which something is changed at once."""


def long_calls(calls: Sequence[Call], count: int, seed: int, words: Vocabulary | None = None) -> list[Call]:
    """Up to `count` of them, none of them among `calls`."""
    bases, known = _largest(calls), {*calls}
    draw = random.Random(seed)
    if not bases:
        return []
    maker = Maker(draw, bases, words or Vocabulary(), small=False)
    found: dict[Call, None] = dict.fromkeys(call for call in _changed_late(bases[0], seed) if call not in known)
    total = sum(len(call.text) for call in found)
    for attempt in range(count * 2):
        base = bases[attempt % len(bases)]
        longest = _size(base)[0]
        # at least LEAST items; as many as the base has, or up to three times as many; none of calls of numbers alone
        factor = max(draw.choice((1, 1, 2, 3)), -(-LEAST // longest)) if longest > 1 else 0
        grown = grow(base, factor, seed + attempt) if factor > 1 else base
        call = _with_odd(grown, maker) if factor and grown is not None else None
        if call is not None and len(call.text) <= LONGEST and call not in known:
            found[call] = None
            total += len(call.text)
        # maximum length of all long calls together, characters
        if len(found) == count or total > 400_000:
            break
    return list(found)


def _changed_late(base: Call, seed: int) -> Iterator[Call]:
    """Yield the largest call with one item of the second half replaced, exchanged, or larger than all others.

    Its length and start stay, so a candidate that recognizes the known call by these is wrong on it.
    """
    draw = random.Random(seed)
    at = max(range(len(base.values)), key=lambda place: _length(base.values[place]))
    if not isinstance(base.values[at], list | str) or not LATE < len(base.values[at]) <= LONGEST // 2:
        return
    value: Any = base.values[at]
    one = draw.randrange(len(value) // 2, len(value))
    others = [place for place in draw.sample(range(len(value)), LATE) if value[place] != value[one]]
    for other in others[:1]:
        first, second = value[one : one + 1], value[other : other + 1]
        changed = value[:one] + second + value[one + 1 :]
        yield base.with_value(at, changed)
        yield base.with_value(at, changed[:other] + first + changed[other + 1 :])
    if isinstance(value, list) and {type(item) for item in value} == {int}:
        yield base.with_value(at, [*value[:one], max(value) + 1, *value[one + 1 :]])


def tenfold(calls: Sequence[Call], seed: int) -> list[Call]:
    """The largest call made still larger, the largest first."""
    bases = _largest(calls)[:1]
    # factors by which the last call is larger; the first that the original can make is taken
    grown = (grow(base, factor, seed) for base in bases for factor in (10, 5, 3))
    return [call for call in grown if call is not None and len(call.text) <= 10 * LONGEST]


def as_iterators(call: Call, places: Sequence[int], least: int) -> Call | None:
    """A call with the lists at some places as iterators over as many items; None where all are empty."""
    found = call
    for at, value in enumerate(call.values):
        if at in places and isinstance(value, list) and value:
            found = found.with_value(at, Constructed("iter", (value * -(-least // len(value)),)))
    return None if found is call else found


def _largest(calls: Sequence[Call]) -> list[Call]:
    """Calls that can be made longer, the largest first; of calls of numbers alone those of the largest."""
    found = []
    for call in sorted(calls, key=_size, reverse=True):
        if can_grow(call):
            found.append(call)
        # the largest known calls that long ones are made of
        if len(found) == 6:
            break
    return found


def _size(call: Call) -> tuple[int, int]:
    longest = max((_length(value) for value in call.values), default=0)
    return longest, max((abs(value) for value in call.values if type(value) is int), default=0)


def _length(value: Any) -> int:
    sized = isinstance(value, list | tuple | str | bytes | dict | set | frozenset)
    return len(value) if sized else max((_length(part) for part in getattr(value, "values", ())), default=0)


def _with_odd(call: Call, maker: Maker) -> Call | None:
    """Something odd within one long argument, and now and then another short one."""
    places = [at for at, value in enumerate(call.values) if _length(value) > SMALL]
    if not places:
        return None
    at = maker.draw.choice(places)
    maker.others = [value for place, value in enumerate(call.values) if place != at]
    changed = call.with_value(at, _odd(call.values[at], maker))
    short = [place for place in range(len(call.values)) if place not in places]
    if short and maker.draw.random() < 0.3:
        place = maker.draw.choice(short)
        maker.others = [value for other, value in enumerate(changed.values) if other != place]
        changed = changed.with_value(place, maker.change(changed.values[place], place))
    return changed


def _odd(value: Any, maker: Maker) -> Any:
    """One item that is changed, there twice, of the other sign, equal and of another type, or nothing."""
    draw = maker.draw
    if isinstance(value, str):
        at = draw.randint(0, len(value))
        return value[:at] + maker.text(value[at : at + ODD]) + value[at + ODD :]
    if isinstance(value, list) and value:
        at, other = draw.randrange(len(value)), draw.choice(value)
        item = value[at]
        signed = -item if type(item) in (int, float) else maker.change(item)
        items = [maker.change(item), other, signed, signed]
        ways = [*([*value[:at], new, *value[at + 1 :]] for new in items), maker.with_odd(value)]
        return draw.choice([*ways, maker.with_twin(value), value[::-1], maker.ordered(value), value])
    if isinstance(value, Constructed):
        places = [at for at, part in enumerate(value.values) if _length(part) > SMALL]
        return value.with_value(places[0], _odd(value.values[places[0]], maker)) if places else value
    return maker.change(value)


# Known calls with one part of the same value and another exact type: an OrderedDict, a member of an IntEnum, a list of
# lists in place of a list of numbers, an array that is a view.
#
# A draft that asks `type(x) is dict`, copies by JSON or puts items into a set takes them for something else. A reader
# of the function would not think of them, so that they are outside of each contract: see `Seen.breaks`.

LARGEST = 2_000
"""Characters of such a call."""
ITEMS = 2
"""Number of items of a container that are looked into: the others are mostly of the same type."""


def other_exact_types(known: Sequence[Call]) -> Iterator[Call]:
    """Yield calls with one part changed, by turns from each of a few known ones."""
    # known calls of which parts are changed, the shortest: the longest of these come first, as they have most parts
    short = islice((call for call in _shortest_first(known) if call.values), 12)
    # maximum number of calls that are made from one known one
    made = [islice(_calls(call), 24) for call in reversed([*short]) if len(call.text) <= LARGEST]
    while made:
        found = [next(each, None) for each in made]
        yield from (call for call in found if call is not None)
        made = [each for each, call in zip(made, found, strict=True) if call is not None]


def _shortest_first(calls: Sequence[Call]) -> list[Call]:
    return sorted(calls, key=lambda call: len(call.text))


def _calls(call: Call) -> Iterator[Call]:
    for at, value in enumerate(call.values):
        # levels of containers that are looked into
        yield from (call.with_value(at, other) for other in _others(value, 4))


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
        yield from (with_part(value, key, other) for other in _others(part, depth - 1))


def _made(module: str, name: str, *args: Any) -> Constructed:
    return Constructed(f"load('{module}', '{name}')", args)


def _subclass(base: str) -> Callable[[Any], Constructed]:
    """Return what makes an object of a class that is made on the spot: no module has one for each value."""
    maker = f"load('types', 'new_class')('{base.title()}Subclass', (load('builtins', '{base}'),))"
    return lambda value: Constructed(maker, (value,))


def _joined(value: list[Any]) -> str | None:
    """A text in place of a list of characters."""
    return "".join(value) if value and all(type(item) is str and len(item) == 1 for item in value) else None


def _named_tuple(value: tuple[Any, ...]) -> Constructed | None:
    names = [f"item{at}" for at in range(len(value))]
    return Constructed(f"load('collections', 'namedtuple')('NamedTuple', {names})", value) if value else None


OTHERS: dict[type, Sequence[Callable[[Any], Any]]] = {
    dict: (
        lambda v: _made("collections", "OrderedDict", v),
        lambda v: _made("collections", "defaultdict", Opaque("load('builtins', 'list')"), v),
        lambda v: _made("collections", "Counter", v) if all(type(item) is int for item in v.values()) else None,
        lambda v: dict(enumerate(v.values())) if not any(type(key) is int for key in v) else None,
        lambda v: {(key, at): item for at, (key, item) in enumerate(v.items())},
    ),
    list: (
        tuple, _joined,
        # items that no set takes, in place of numbers and texts
        lambda v: [[item] for item in v] if v and all(type(item) in (int, float, str) for item in v) else None,
    ),
    tuple: (_named_tuple,),
    int: (
        lambda v: Constructed(f"load('enum', 'IntEnum')('IntEnumMember', {{'ITEM': {v}}})", (v,)), _subclass("int"),
    ),
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


# Calls that give an optional parameter whose default all known calls use. Known calls miss an error there.
#
# The default or the type hint decides the type of the value. Without either, several types are tried.

EACH = 2
"""Maximum number of calls for one value."""
_VALUES: dict[str, tuple[Any, ...]] = {
    "bool": (True, False),
    "int": (0, 1, 2, 3, -1, 10),
    "float": (0.0, 0.5, 2.5, -1.0),
    "str": ("", "a", " ", ",", "ab"),
    "bytes": (b"", b"a"),
}
_ANY = (0, 1, 2, -1, "", "a", ["a"], [0, 1])


@dataclass(frozen=True)
class OptionalParameter:
    """An optional parameter, and what may be given for it."""

    name: str
    place: int
    """Among those that can be given by position; past all of them for one that can only be named."""
    default: str
    """Text of the default as it is written."""
    values: tuple[Any, ...]
    typed: bool
    """The values are of a type that it is meant for."""


def with_optional_parameters(function: Function, calls: Sequence[Call]) -> dict[Call, bool]:
    """Known calls with one more argument, and of each whether that is of a type it is meant for."""
    bases = _shortest_first(calls)
    found: dict[Call, bool] = {}
    short = bases[: max(EACH, len(bases) // 2)]
    for parameter in _optional(function):
        places = [(call, at) for call in bases if (at := _place(call, parameter)) is not None]
        if any(write(call.values[at]) != parameter.default for call, at in places):
            continue
        for at, value in enumerate(parameter.values):
            for n in range(min(EACH, len(short))):  # a few of the shorter half, others for each value
                base = short[(at * EACH + n) % len(short)]
                place = _place(base, parameter)
                added = Call(base.args, (*base.kwargs, (parameter.name, value)))
                found[added if place is None else base.with_value(place, value)] = parameter.typed
    # maximum number of calls for all parameters
    return dict(list(found.items())[:60])


def _place(call: Call, parameter: OptionalParameter) -> int | None:
    """Place of a parameter among the values of a call; None where the call does not give it."""
    names = [name for name, _ in call.kwargs]
    if len(call.args) > parameter.place:
        return parameter.place
    return len(call.args) + names.index(parameter.name) if parameter.name in names else None


def _optional(function: Function) -> list[OptionalParameter]:
    """Optional parameters that can be named and are not private."""
    given = function.node.args
    skip = int(function.kind == "classmethod")
    positional = [*given.posonlyargs, *given.args]
    first = len(positional) - len(given.defaults)
    pairs = [(positional[first + at], default, first + at - skip) for at, default in enumerate(given.defaults)]
    past = 10**6
    pairs += [(arg, d, past) for arg, d in zip(given.kwonlyargs, given.kw_defaults, strict=True) if d is not None]
    return [
        OptionalParameter(arg.arg, place, ast.unparse(default), *_values(arg.annotation, default))
        for arg, default, place in pairs
        if not arg.arg.startswith("_") and arg not in given.posonlyargs
    ]


def _values(hint: ast.expr | None, default: ast.expr) -> tuple[tuple[Any, ...], bool]:
    """Values to give, and whether these are of a type that it is meant for."""
    standard = default.value if isinstance(default, ast.Constant) else None
    choices = _literals(hint)
    kinds = [type(standard).__name__] if standard is not None else sorted(_names(hint) & set(_VALUES))
    values = choices or [value for kind in kinds for value in _VALUES.get(kind, ())]
    other = tuple(value for value in values if not (type(value) is type(standard) and value == standard))
    return (other, True) if other else (_ANY, False)


def _names(hint: ast.expr | None) -> set[str]:
    """The plain types of `int`, `str | None`, `Optional[int]`; of `list[int]` or a callable none."""
    if isinstance(hint, ast.Name):
        return {hint.id}
    if isinstance(hint, ast.BinOp):
        return _names(hint.left) | _names(hint.right)
    if isinstance(hint, ast.Subscript) and ast.unparse(hint.value).rpartition(".")[2] in ("Optional", "Union"):
        parts = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
        return {name for part in parts for name in _names(part)}
    return set()


def _literals(hint: ast.expr | None) -> list[Any]:
    if not (isinstance(hint, ast.Subscript) and ast.unparse(hint.value).rpartition(".")[2] == "Literal"):
        return []
    parts = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    return [part.value for part in parts if isinstance(part, ast.Constant)]


# Calls with arguments of other types, for checks in a function's text: `raise TypeError`, `assert n >= 0`.
#
# Only errors that such a line raises count, as its author intended them. All other effects of wrong types are
# accidents.


VALUES: tuple[Any, ...] = (
    None, "a", "", 0, -1, 1, 2.5, float("nan"), True, [], [None], ["a", 1], (), {}, {"a": 1}, b"a", set(), 10**9,
    Opaque("load('builtins', 'object')()"), Opaque("load('builtins', 'len')"),
)  # fmt: skip


def refusals(function: Function) -> dict[int, int]:
    """The lines of a function's own `raise` and `assert` statements, each with that of its statement."""
    found: dict[int, int] = {}
    for each in own_nodes(function.node):
        if isinstance(each, ast.Assert) or (isinstance(each, ast.Raise) and each.exc is not None):
            found |= dict.fromkeys(range(each.lineno, (each.end_lineno or each.lineno) + 1), each.lineno)
    return found


def wrong_types(calls: Sequence[Call]) -> list[Call]:
    """The shortest calls of each number of arguments, with each argument as each of the values in turn."""
    shapes: dict[int, Call] = {}
    for call in _shortest_first(calls):
        shapes.setdefault(len(call.values), call)
    # number of known calls that are changed
    bases = [*shapes.values()][:4]
    found = [base.with_value(at, value) for base in bases for at in range(len(base.values)) for value in VALUES]
    # maximum number of calls with an argument of a wrong type
    known = {*calls}
    return list(dict.fromkeys(call for call in found if call not in known))[:300]
