"""Relations that all known documents keep, place by place, each with the changes that break it: what lists, records and
their values are like everywhere."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

from codeopt.workloads.contract.program.document_values import NUMBER, NodeRelation, Path, is_number, of_values
from codeopt.workloads.contract.program.relations import sorted_by_chance

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


def nodes(value: Any, mappings: frozenset[Path], path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value with its place."""
    yield path, value
    if isinstance(value, list):
        for each in value:
            yield from nodes(each, mappings, (*path, EACH))
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from nodes(each, mappings, (*path, EACH if path in mappings else key))


def find_mappings(documents: Sequence[Any]) -> frozenset[Path]:
    """Places of objects whose names are data, from the root down."""
    found: frozenset[Path] = frozenset()
    while True:
        keys: dict[Path, list[set[str]]] = {}
        for document in documents:
            for path, value in nodes(document, found):
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
        for path, value in nodes(document, mappings):
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
