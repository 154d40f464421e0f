"""Relations that all known documents keep, place by place, each with the changes that break it: what lists, records and
their values are like everywhere."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from codeopt.workloads.contract.program.formats import EXACT
from codeopt.workloads.contract.program.relations import sorted_by_chance

Path = tuple[str, ...]
"""Names of fields from the root, and steps into lists."""
Place = tuple[str | int, ...]
"""Keys and indices from the root."""
Holds = Callable[[Any], bool]
Broken = Callable[[Any], Iterable[Any]]
FEW_WORDS = 12
"""Maximum number of words that form a set. With more of them any word is allowed."""
SAME_LENGTH_FROM = 3
"""Number of texts that are not of one length by chance."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


@dataclass(frozen=True)
class NodeRelation:
    """Something that holds of all values at a place."""

    kind: str
    """Words about it, with {} for the place."""
    holds: Holds
    broken: Broken
    """Values that break it, made of one that keeps it."""
    name: str = ""
    """The place in a word; empty for the usual one."""
    path: Path = ()

    def at(self, path: Path, name: str, applies: Holds) -> NodeRelation:
        """The relation of values at a place, restricted to one kind of them. Another relation covers other kinds."""
        restricted = lambda value: not applies(value) or self.holds(value)  # noqa: E731
        return replace(self, path=path, name=self.name or name, holds=restricted)

    @property
    def words(self) -> str:
        """Words about a document that breaks it."""
        return self.kind.replace("{}", self.name)


Check = tuple[str, Holds, Broken]
"""Words with {} for the place, whether it holds, and values that break it."""
TEXTS: tuple[Check, ...] = (
    ("no known {} is empty", bool, lambda s: [""]),
    ("every known {} is ASCII", str.isascii, lambda s: [f"{s[:-1]}{letter}" for letter in "\u00e9\u00df\u0130\u4e2d"]),
    ("every known {} is one word", lambda s: len(s.split()) <= 1, lambda s: [f"{s} b", f"{s[:1]} {s[1:]}"]),
    ("no known {} has signs that are quoted", lambda s: not set(s) & set("\",;'\\"),
     lambda s: [f"{s},b", f'{s}"b"', f"{s};'b"]),
    ("no known {} has blanks at its ends", lambda s: s == s.strip(), lambda s: [f" {s}", f"{s} "]),
    ("no known {} has several blanks", lambda s: "  " not in s, lambda s: [s.replace(" ", "  ", 1), f"{s}  b"]),
    ("no known {} has a line end", lambda s: not set(s) & set("\n\r"), lambda s: [f"{s}\nb"]),
    ("no known {} has a capital", lambda s: s == s.lower(), lambda s: [s.upper(), s.capitalize()]),
    ("every known {} is in capitals", lambda s: s == s.upper(), lambda s: [s.lower(), s.capitalize()]),
    ("no known {} has a digit", lambda s: not any(map(str.isdigit, s)), lambda s: [f"{s}7"]),
    ("no known {} is a number", lambda s: not NUMBER.fullmatch(s), lambda s: ["7", "1.5"]),
)  # fmt: skip
WRITTEN: tuple[Check, ...] = (
    ("no known {} is empty", bool, lambda s: [""]),
    ("no known {} is a fraction", lambda s: "." not in s, lambda s: [f"{s}.5"]),
    ("no known {} is 2**53 or more", lambda s: not NUMBER.fullmatch(s) or abs(float(s)) < EXACT,
     lambda s: [str(EXACT + 1), str(10**18 + 1)]),
    ("no known {} is below zero", lambda s: not s.startswith("-"), lambda s: [f"-{s}"]),
    ("no known {} is zero", lambda s: not NUMBER.fullmatch(s) or float(s) != 0, lambda s: ["0"]),
    ("every known {} is a number", lambda s: not s.strip() or bool(NUMBER.fullmatch(s.strip())), lambda s: ["x"]),
    ("every known {} is written plainly", lambda s: bool(_PLAIN.fullmatch(s)) or not NUMBER.fullmatch(s),
     lambda s: [f"0{s}", f"+{s}"]),
    ("no known {} has blanks at its ends", lambda s: s == s.strip(), lambda s: [f" {s}", f"{s} "]),
)  # fmt: skip
"""Checks of numbers that are written as texts: of a table, of a configuration."""
NUMBERS: tuple[Check, ...] = (
    ("no known {} is a fraction", lambda v: isinstance(v, int), lambda v: [v + 0.5]),
    ("no known {} is 2**53 or more", lambda v: abs(v) < EXACT, lambda v: [EXACT + 1, 10**18 + 1]),
    ("no known {} is below zero", lambda v: v >= 0, lambda v: [-v, -1]),
    ("no known {} is zero", lambda v: v != 0, lambda v: [0]),
)


def is_number(value: Any) -> bool:
    """A number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def of_values(values: Sequence[Any]) -> tuple[Holds, Iterable[NodeRelation]]:
    """The likely relations of the values at a place, and what they are about; none of lists and objects."""
    if all(isinstance(value, str) for value in values):
        written = all(NUMBER.fullmatch(value) for value in values)
        checks = (*(WRITTEN if written else TEXTS), *_seen(values, written))
        return lambda value: isinstance(value, str), (NodeRelation(*check) for check in checks)
    return is_number, (NodeRelation(*check) for check in (NUMBERS if all(map(is_number, values)) else ()))


def _seen(values: Sequence[str], written: bool) -> Iterator[Check]:
    """Yield checks that only the known words, lengths and decimal places occur."""
    known, lengths = set(values), {len(value) for value in values}
    if written:
        most = max(len(value.partition(".")[2]) for value in values)
        if most:
            yield (
                "no known {} has as many places",
                lambda s: len(s.partition(".")[2]) <= most,
                lambda s: [f"{s}25" if "." in s else f"{s}.{'1' * most}25"],
            )
        return
    if len(known) <= FEW_WORDS and len(values) >= 2 * len(known):
        yield "no known {} is another word", known.__contains__, lambda s: [f"{s}{s[-1:]}", "other"]
    if len(lengths) == 1 and len(values) >= SAME_LENGTH_FROM:
        yield "every known {} is as long", lambda s: len(s) in lengths, lambda s: [s + s[-1:], s[:-1]]


EACH = "[]"
"""The step to an element of a list, and to a field of an object whose names are data."""
ROWS = ("rows",)
"""Place of a table's rows."""
MOST_KEYS = 12
"""An object of more fields, or of other fields each time, is a mapping: its names are data."""
DISTINCT_FROM = 3
SORTED_FROM = 4
"""Lists of so many elements are not distinct or sorted by chance."""
TWICE = "no element comes twice"


def nodes(
    value: Any, mappings: frozenset[Path], place: Place = (), path: Path = ()
) -> Iterator[tuple[Place, Path, Any]]:
    """Every value with its place and its path, which elements of a list share, and keys that are data."""
    yield place, path, value
    if isinstance(value, list):
        for at, each in enumerate(value):
            yield from nodes(each, mappings, (*place, at), (*path, EACH))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from nodes(each, mappings, (*place, key), (*path, EACH if path in mappings else key))


def find_mappings(documents: Sequence[Any]) -> frozenset[Path]:
    """Places of objects whose names are data, from the root down."""
    found: frozenset[Path] = frozenset()
    while True:
        keys: dict[Path, list[set[str]]] = {}
        for document in documents:
            for _, path, value in nodes(document, found):
                if isinstance(value, dict) and value and path not in found:
                    keys.setdefault(path, []).append(set(value))
        new = [path for path, each in keys.items() if _is_mapping(each)]
        if not new:
            return found
        found |= {min(new, key=len)}


def _is_mapping(keys: Sequence[set[str]]) -> bool:
    every, common = set().union(*keys), set.intersection(*keys)
    if len(keys) == 1:
        return len(every) > MOST_KEYS
    return len(every) > 4 and 2 * sum(map(len, keys)) < len(keys) * len(every) and 4 * len(common) < len(every)


def find_node_relations(documents: Sequence[Any], mappings: frozenset[Path]) -> tuple[NodeRelation, ...]:
    """The likely relations that all of these keep."""
    places: dict[Path, list[Any]] = {}
    for document in documents:
        for _, path, value in nodes(document, mappings):
            if path[:1] != ("header",):
                places.setdefault(path, []).append(value)
    return tuple(
        relation
        for path, values in places.items()
        for relation in _likely(path, values, mappings)
        if all(map(relation.holds, values))
    )


def _likely(path: Path, values: Sequence[Any], mappings: frozenset[Path]) -> Iterator[NodeRelation]:
    kinds, name = {type(value) for value in values}, _name(path)
    applies, relations = _of_kind(path, values, mappings)
    yield from (each.at(path, name, applies) for each in relations)
    if path and path[:1] != ROWS:
        number = all(map(is_number, values))
        yield NodeRelation("no known {} is null", lambda v: v is not None, lambda v: [None], name, path)
        yield NodeRelation(
            "every known {} is of one kind", lambda v: v is None or (is_number(v) if number else type(v) in kinds),
            _other_kinds, name, path,
        )  # fmt: skip


def _of_kind(
    path: Path, values: Sequence[Any], mappings: frozenset[Path]
) -> tuple[Callable[[Any], bool], Iterable[NodeRelation]]:
    """The likely relations of values of one kind, and whether a value is of it."""
    kinds = {type(value) for value in values}
    if kinds == {list}:
        return lambda v: isinstance(v, list), _of_lists(values)
    if kinds != {dict}:
        return of_values(values)
    if path in mappings:
        return lambda v: isinstance(v, dict), _MAPPINGS
    if path[:1] == ROWS:
        return lambda v: True, _ROWS
    is_table = not path and values[0].keys() == {"header", "rows"}
    return lambda v: isinstance(v, dict), () if is_table else _of_records(values)


def _name(path: Path) -> str:
    """`'id'`, `element of 'tags'`, `row`."""
    if path[:1] == ROWS:
        return repr(path[-1]) if len(path) > 2 else "row" if len(path) == 2 else "list of rows"
    named = [step for step in path if step != EACH]
    if not named:
        return "entry" if path else "document"
    return f"element of {named[-1]!r}" if path[-1] == EACH else repr(named[-1])


def _other_kinds(value: Any) -> list[Any]:
    if isinstance(value, str):
        return [7, [value]]
    return [str(value), [value]] if is_number(value) or isinstance(value, bool) else ["text", 7]


def _of_lists(values: Sequence[list[Any]]) -> Iterator[NodeRelation]:
    yield NodeRelation("no known {} is empty", bool, lambda v: [[]])
    yield from _of_column(None, values)
    elements = [each for value in values for each in value]
    if elements and all(isinstance(each, dict) for each in elements):
        for key in [each for each in elements[0] if all(each in element for element in elements)]:
            yield from _of_column(key, [[each[key] for each in value] for value in values])
    yield NodeRelation("no known {} has one element alone", lambda v: len(v) != 1, lambda v: [v[:1]])


def _of_column(column: str | None, lists: Sequence[list[Any]]) -> Iterator[NodeRelation]:
    """Lists of values, or of one field of their records, that hold none twice, or that are sorted."""
    longest = max(map(len, lists))
    scalar = not any(isinstance(each, list | dict) for values in lists for each in values)
    thing, kind = repr(column) if column else "", "no known {} comes twice" if column else f"{TWICE} in a known {{}}"

    def get(values: list[Any]) -> list[Any]:
        return values if column is None else [each.get(column) if isinstance(each, dict) else None for each in values]

    if longest >= DISTINCT_FROM and (column is None or scalar):
        yield NodeRelation(kind, lambda v: _distinct(get(v)), lambda v: _twice(v, column), thing)
    ordered = all(all(map(is_number, v)) or all(isinstance(each, str) for each in v) for v in lists)
    if longest >= SORTED_FROM and ordered and not sorted_by_chance(lists):
        yield NodeRelation("the known {} is sorted", lambda v: _sorted(get(v), operator.le), _unsorted, thing)
        yield NodeRelation("the known {} is sorted", lambda v: _sorted(get(v), operator.ge), _unsorted, thing)


def _distinct(values: Sequence[Any]) -> bool:
    return len({json.dumps(value, sort_keys=True) for value in values}) == len(values)


def _sorted(values: Sequence[Any], order: Callable[[Any, Any], bool]) -> bool:
    """Check an order. Numbers that are written as texts may be ordered as numbers or as texts.

    Another relation covers other kinds among them.
    """
    if not (all(map(is_number, values)) or all(isinstance(value, str) for value in values)):
        return True
    numbers = [_order(value) for value in values]
    ways = [values, numbers] if all(map(is_number, numbers)) else [values]
    return any(all(order(a, b) for a, b in pairwise(way)) for way in ways)


def _order(value: Any) -> Any:
    return float(value) if isinstance(value, str) and NUMBER.fullmatch(value) else value


def _twice(values: list[Any], column: str | None) -> Iterator[list[Any]]:
    """The first again at the end, and in the place of the last; of a field its value alone."""
    if len(values) < 2:
        return
    if column is None:
        yield [*values, values[0]]
        yield [*values[:-1], values[0]]
        yield [values[0], *values]
    elif isinstance(values[0], dict) and isinstance(values[-1], dict):
        yield [*values[:-1], {**values[-1], column: values[0].get(column)}]
        yield [values[0], {**values[1], column: values[0].get(column)}, *values[2:]]
        yield [*values, {**values[-1], column: values[0].get(column)}]


def _unsorted(values: list[Any]) -> Iterator[list[Any]]:
    if len(values) > 1:
        yield [values[1], values[0], *values[2:]]
        yield values[::-1]
        yield [*values[1:], values[0]]


_MAPPINGS = (
    NodeRelation("no known {} is empty", bool, lambda v: [{}]),
    NodeRelation(
        "every known key of {} is ASCII",
        lambda v: all(map(str.isascii, v)),
        lambda v: [{(f"{key}\u00e9" if at == 0 else key): each for at, (key, each) in enumerate(v.items())}],
    ),
)
_ROWS = (
    NodeRelation(
        "every known {} is as long as the others",
        lambda v: isinstance(v, dict),
        lambda v: [[*map(str, v.values())][:-1], [*map(str, v.values()), "7"]],
    ),
)


def _of_records(values: Sequence[Mapping[str, Any]]) -> Iterator[NodeRelation]:
    known = [*dict.fromkeys(key for value in values for key in value)]
    yield from (_has_key(key) for key in known if all(key in value for value in values))
    other = "no known {} has other keys"
    yield NodeRelation(other, set(known).issuperset, lambda v: [{**v, "another": next(iter(v.values()), 7)}])
    if len(known) > 1:
        order = "the keys of every known {} are in one order"
        yield NodeRelation(order, lambda v: _stand_so(v, known), lambda v: [dict(reversed(v.items()))])


def _has_key(name: str) -> NodeRelation:
    words = f"every known {{}} has the key {name!r}"
    return NodeRelation(words, lambda v: name in v, lambda v: [{key: v[key] for key in v if key != name}])


def _stand_so(record: Mapping[str, Any], known: Sequence[str]) -> bool:
    keys = [known.index(key) for key in record if key in known]
    return keys == sorted(keys)
