"""Patterns of graphs and tables that all known values share.

Examples are edges without loops or repeats, intervals with ordered ends, symmetric adjacency, and types of columns. A
pattern counts if it is improbable by chance.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

from codeopt.workloads.contract.function.seen import FEW

ENOUGH = 5.0
"""Weight from which on a property is learnt: minus the logarithm of the chance, 0.7 %, that random values keep it."""
BY_HAND = 0.5
"""Share of its weight that order counts: what is written by hand is more often in order than chance would have it."""
MOST = 2_000
"""Pairs, and nodes, that are looked at."""
SIDE = 60
"""Rows of a matrix that are looked at."""
LEAST = 3
"""Fewest nodes of a graph that says anything."""
WIDEST = 8
"""Maximum width of a row whose columns are typed separately."""
ROWS = (list, tuple)
Pairs = list[tuple[int, int]]
Links = dict[Any, list[Any]]
Matrix = list[list[float]]
T = TypeVar("T")


@dataclass(frozen=True)
class Kept:
    """Result of a pattern on one value, with its weight as evidence."""

    holds: bool
    weight: float = 0.0
    """Minus the logarithm of the chance that a random value of this size keeps it."""


@dataclass(frozen=True)
class GraphProperty:
    words: str
    """Description with `{}` for the value."""
    look: Callable[[Any], Kept | None]
    """Looks at a value; the answer is None where it is no such graph."""
    implied_by: str = ""
    """Words of a stronger pattern, which replaces this one."""


@dataclass(frozen=True)
class GraphRelation:
    """A property that one part of all known values keeps."""

    path: str
    kept: GraphProperty

    @property
    def words(self) -> str:
        """`in every known call no pair of `edges` comes twice`."""
        return f"in every known call {self.kept.words.format(f'`{self.path}`')}"

    def keeps(self, parts: Mapping[str, Any]) -> bool | None:
        """Return True if a value, given by its parts, keeps the pattern. None if the pattern does not apply."""
        found = self.kept.look(parts[self.path]) if self.path in parts else None
        return None if found is None else found.holds


def graph_relations(values: Sequence[Mapping[str, Any]]) -> Iterator[GraphRelation]:
    """Yield the patterns that the parts of all known values share. Parts are given by their paths."""
    for path in dict.fromkeys(path for parts in values for path in parts):
        learnt: set[str] = set()
        for each in (*PROPERTIES, *_typed_rows([parts[path] for parts in values if path in parts])):
            found = [kept for parts in values if path in parts and (kept := each.look(parts[path])) is not None]
            shown = sum(kept.weight for kept in found)
            if len(found) < FEW or shown < ENOUGH or not all(kept.holds for kept in found):
                continue
            learnt.add(each.words)
            if each.implied_by not in learnt:
                yield GraphRelation(path, each)


def _of(read: Callable[[Any], T | None], keeps: Callable[[T], Kept]) -> Callable[[Any], Kept | None]:
    """A look at what a value is read as; None for a value of another kind."""
    return lambda value: None if (found := read(value)) is None else keeps(found)


def _pairs(value: Any) -> Pairs | None:
    """First two numbers of each row of a list of edges; None for anything else."""
    if not isinstance(value, ROWS) or not value:
        return None
    rows = value[:MOST]
    if not all(isinstance(row, ROWS) and 2 <= len(row) <= 4 for row in rows) or len(set(map(len, rows))) > 1:
        return None
    found = [(row[0], row[1]) for row in rows]
    return found if all(type(one) is int and type(two) is int for one, two in found) else None


def _pairs_apart(pairs: Pairs) -> Kept:
    nodes = len({each for pair in pairs for each in pair})
    return Kept(all(one != two for one, two in pairs), len(pairs) / nodes if nodes >= LEAST else 0.0)


def _once(pairs: Pairs, kind: Callable[[tuple[int, int]], Any], ways: int) -> Kept:
    """Check that no pair is repeated. `ways` is the number of pairs of one kind."""
    nodes = len({each for pair in pairs for each in pair})
    chance = ways * len(pairs) * (len(pairs) - 1) / (2 * nodes * nodes)
    return Kept(len(set(map(kind, pairs))) == len(pairs), chance if nodes >= LEAST else 0.0)


def _of_order(count: int) -> float:
    return BY_HAND * math.log(2) * count


def _typed_rows(values: Sequence[Any]) -> list[GraphProperty]:
    """Return the pattern of the types in rows, place by place.

    It is empty if rows differ in types, or if all places have the same type.
    """
    kinds = {_kinds(row) for value in values if _is_table(value) for row in value[:MOST]}
    first = next(iter(kinds), ())
    if len(kinds) != 1 or len(set(first)) < 2:
        return []
    chance = -sum(math.log(first.count(kind) / len(first)) for kind in first)

    def look(value: Any) -> Kept | None:
        if not _is_table(value):
            return None
        rows = value[:MOST]
        return Kept(all(_kinds(row) == first for row in rows), len(rows) * chance)

    return [GraphProperty(f"each row of {{}} holds {', '.join(first)}", look)]


def _is_table(value: Any) -> bool:
    """Return True for a list of lists of which some are short."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, list) for row in value[:MOST])
        and any(len(row) <= WIDEST for row in value[:MOST])
    )


def _kinds(row: Sequence[Any]) -> tuple[str, ...]:
    return tuple(type(item).__name__ for item in row)


def _adjacency(value: Any) -> Links | None:
    """Neighbours by node: of a list whose lists hold its own places, or of a mapping whose lists hold its own keys."""
    if isinstance(value, list) and value and all(isinstance(row, list) for row in value[:MOST]):
        if not all(type(item) is int and 0 <= item < len(value) for row in value for item in row):
            return None
        return dict(enumerate(value))
    if _is_sparse(value):
        return _rows_of(value)
    if isinstance(value, dict) and value and all(isinstance(row, list | set | frozenset) for row in value.values()):
        found = {node: list(row) for node, row in value.items()}
        return found if _are_nodes(found) else None
    return None


def _is_sparse(value: Any) -> bool:
    """Return True for the fields of a sparse matrix by rows (CSR), with SciPy's names."""
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list) and all(type(item) is int for item in value[name])
        for name in ("indptr", "indices")
    )


def _rows_of(value: Mapping[str, Any]) -> dict[Any, list[Any]] | None:
    """Return the columns by row of a sparse matrix. None if its pointers or columns are invalid."""
    pointers, columns = value["indptr"], value["indices"]
    if not pointers or pointers[0] or pointers[-1] != len(columns) or pointers != sorted(pointers):
        return None
    if not all(0 <= column < len(pointers) - 1 for column in columns):
        return None
    return {at: columns[start:end] for at, (start, end) in enumerate(pairwise(pointers))}


def _is_by_rows(value: Any) -> Kept | None:
    if not _is_sparse(value):
        return None
    columns = len(value["indices"])
    return Kept(_rows_of(value) is not None, math.log(columns + 1))


def _weighs_the_same(value: Any) -> Kept | None:
    """Check that a sparse matrix has the same numbers on both sides of its diagonal."""
    rows = _rows_of(value) if _is_sparse(value) else None
    data = value["data"] if rows is not None and "data" in value else None
    if rows is None or not isinstance(data, list) or len(data) != len(value["indices"]):
        return None
    places = [(at, column) for at, row in rows.items() for column in row]
    items = dict(zip(places, data, strict=True))
    kinds = len({item for item in data if type(item) in (int, float)})
    weight = len(items) / 2 * math.log(kinds) if kinds > 1 else 0.0
    return Kept(all(items.get((column, at)) == item for (at, column), item in items.items()), weight)


def _are_nodes(found: Mapping[Any, Sequence[Any]]) -> bool:
    try:
        return all(item in found for row in found.values() for item in row)
    except TypeError:  # a list in it
        return False


def _no_loops(found: Links) -> Kept:
    weight = sum(map(len, found.values())) / len(found) if len(found) >= LEAST else 0.0
    return Kept(all(node not in row for node, row in found.items()), weight)


def _neighbours_once(value: Any) -> Kept | None:
    found = _adjacency(value)
    if found is None:
        return None
    pairs = sum(len(row) * (len(row) - 1) / 2 for row in found.values())
    plain = isinstance(value, list) or _is_sparse(value) or all(isinstance(row, list) for row in value.values())
    weight = pairs / len(found) if len(found) >= LEAST and plain else 0.0
    return Kept(all(len(set(row)) == len(row) for row in found.values()), weight)


def _neighbours_sorted(value: Any) -> Kept | None:
    found = _adjacency(value)
    if found is None or not (isinstance(value, list) or _is_sparse(value)):
        return None
    return Kept(
        all(row == sorted(row) for row in found.values()),
        BY_HAND * sum(math.lgamma(len(row) + 1) for row in found.values()),
    )


def _is_mutual(found: Links) -> Kept:
    links = {(node, other) for node, row in found.items() for other in row if node != other}
    share = len(links) / (len(found) * max(1, len(found) - 1))
    weight = len(links) / 2 * -math.log(share) if links and len(found) >= LEAST else 0.0
    return Kept(all((other, node) in links for node, other in links), weight)


def _matrix(value: Any) -> Matrix | None:
    """Beginning of a square matrix of numbers; None for anything else."""
    if not isinstance(value, list) or len(value) < LEAST:
        return None
    if not all(isinstance(row, list) and len(row) == len(value) for row in value):
        return None
    found = [row[:SIDE] for row in value[:SIDE]]
    return found if all(type(item) in (int, float) for row in found for item in row) else None


def _opposite(matrix: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Items on one side of the diagonal, each with the one on the other side."""
    return [(matrix[row][column], matrix[column][row]) for row in range(len(matrix)) for column in range(row)]


def _is_symmetric(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    counts = Counter(item for pair in pairs for item in pair)
    alike = sum((count / (2 * len(pairs))) ** 2 for count in counts.values())
    return Kept(all(one == other for one, other in pairs), len(pairs) * -math.log(alike) if alike < 1 else 0.0)


def _is_one_way(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    share = sum(bool(item) for pair in pairs for item in pair) / (2 * len(pairs))
    return Kept(not any(one and other for one, other in pairs), len(pairs) * share**2)


def _is_bare_diagonal(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    share = sum(bool(item) for pair in pairs for item in pair) / (2 * len(pairs))
    return Kept(not any(matrix[at][at] for at in range(len(matrix))), len(matrix) * share)


_RISE = "the first number of each pair of {} is below the second"
_LINKS = "no pair of {} comes twice, in either order"
PROPERTIES = (
    GraphProperty(_RISE, _of(_pairs, lambda pairs: Kept(all(a < b for a, b in pairs), _of_order(len(pairs))))),
    GraphProperty(
        "the first number of each pair of {} is at most the second",
        _of(_pairs, lambda pairs: Kept(all(a <= b for a, b in pairs), _of_order(len(pairs)))),
        _RISE,
    ),
    GraphProperty("no pair of {} has the same number twice", _of(_pairs, _pairs_apart), _RISE),
    GraphProperty(_LINKS, _of(_pairs, lambda pairs: _once(pairs, frozenset, 2))),
    GraphProperty("no pair of {} comes twice", _of(_pairs, lambda pairs: _once(pairs, tuple, 1)), _LINKS),
    GraphProperty("the pointers of {} are those of a square sparse matrix", _is_by_rows),
    GraphProperty("no list of {} holds its own place", _of(_adjacency, _no_loops)),
    GraphProperty("no list of {} holds anything twice", _neighbours_once),
    GraphProperty("each list of {} is sorted", _neighbours_sorted),
    GraphProperty("each link of {} has one back", _of(_adjacency, _is_mutual)),
    GraphProperty("{} is symmetric", _of(_matrix, _is_symmetric)),
    GraphProperty("{} is a symmetric sparse matrix", _weighs_the_same),
    GraphProperty("{} leads one way only", _of(_matrix, _is_one_way)),
    GraphProperty("the diagonal of {} is zero", _of(_matrix, _is_bare_diagonal)),
)
"""Patterns. A stronger one comes before those that it implies."""
