"""Patterns of single values that all known ones share: order, distinct items, equal rows, graphs.

Examples are edges without loops or repeats, intervals with ordered ends, symmetric adjacency, and types of columns. A
pattern counts if it is improbable by chance.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, pairwise
from typing import Any, TypeVar

from codeopt.workloads.contract.properties import LARGE, OF_CALLS, EvidenceNeeded

BY_HAND = 0.5
"""Share of its weight that order counts: what is written by hand is more often in order than chance would have it."""
MOST = 2_000
"""Pairs, and nodes, that are looked at."""
SIDE = 60
"""Rows of a matrix whose items say how probable a pattern is by chance."""
LEAST = 3
"""Fewest nodes of a graph that says anything."""
ROWS = (list, tuple)
Pairs = list[tuple[Any, Any]]
Links = dict[Any, list[Any]]
Matrix = list[list[float]]
T = TypeVar("T")


ONCE = "nothing in {} comes twice"


@dataclass(frozen=True)
class Kept:
    """Result of a pattern on one value, with its weight as evidence."""

    holds: bool
    weight: float = 0.0
    """Minus the logarithm of the chance that a random value of this size keeps it."""


@dataclass(frozen=True)
class Pattern:
    words: str
    """Description with `{}` for the value."""
    look: Callable[[Any], Kept | None]
    """Looks at a value; the answer is None where it is no such value."""
    implied_by: str = ""
    """Words of a stronger pattern, which replaces this one."""
    repair: Callable[[Any], Any] | None = None
    """Returns a near value that keeps it."""


def patterns_of(
    values: Sequence[Any], evidence: EvidenceNeeded = OF_CALLS, more: float = 0.0, *,
    stated: Collection[str] = (), column: bool = False,
) -> Iterator[Pattern]:  # fmt: skip
    """Yield the patterns that values of several calls share. more: further weight of each value that is in order, where
    the code says that it has to be. stated: words of patterns for which one value is enough, as the docstring has them.
    column: they are columns of tables."""
    few = 1 if stated else evidence.few
    learnt: set[str] = set()
    further = [*(OF_COLUMNS if column else ()), *(_same_counts(values) if evidence.of_inputs else ())]
    for each in (*PATTERNS, *_typed_rows(values), *further):
        found = [kept for value in values if (kept := each.look(value)) is not None]
        shown = sum(kept.weight + more * (each.words in (SORTED, EVEN)) for kept in found)
        shown += evidence.weight * (each.words in stated)
        if len(found) < few or shown < evidence.weight or not all(kept.holds for kept in found):
            continue
        learnt.add(each.words)
        if each.implied_by not in learnt:
            yield each


def _of(read: Callable[[Any], T | None], keeps: Callable[[T], Kept | None]) -> Callable[[Any], Kept | None]:
    """A look at what a value is read as; None for a value of another kind."""
    return lambda value: None if (found := read(value)) is None else keeps(found)


def _spans(value: Any) -> Pairs | None:
    """First two items of each row of a list of pairs or longer records; None for anything else."""
    if not isinstance(value, ROWS) or not value:
        return None
    rows = value[:MOST]
    if not all(isinstance(row, ROWS) and 2 <= len(row) <= 4 for row in rows) or len(set(map(len, rows))) > 1:
        return None
    found = [(row[0], row[1]) for row in rows]
    for kinds in ((int, float), (str,)):
        if all(type(item) in kinds for pair in found for item in pair):
            return found
    return None


def _pairs(value: Any) -> Pairs | None:
    """The same of numbers of nodes."""
    found = _spans(value)
    return found if found and all(type(item) is int for pair in found for item in pair) else None


def _pairs_apart(pairs: Pairs) -> Kept:
    nodes = len({each for pair in pairs for each in pair})
    return Kept(all(one != two for one, two in pairs), len(pairs) / nodes if nodes >= LEAST else 0.0)


def _once(pairs: Pairs, kind: Callable[[tuple[int, int]], Any], ways: int) -> Kept:
    """Check that no pair is repeated. `ways` is the number of pairs of one kind."""
    nodes = len({each for pair in pairs for each in pair})
    chance = ways * len(pairs) * (len(pairs) - 1) / (2 * nodes * nodes)
    return Kept(len(set(map(kind, pairs))) == len(pairs), chance if nodes >= LEAST else 0.0)


def _are_a_tree(pairs: Pairs) -> Kept:
    """Check that edges connect the numbers from the smallest on, one more than there are edges."""
    above: dict[int, int] = {}

    def top(node: int) -> int:
        while above.setdefault(node, node) != node:
            above[node] = above[above[node]]
            node = above[node]
        return node

    for one, other in pairs:
        above[top(one)] = top(other)
    low, size = min(above), len(pairs) + 1
    holds = len(above) == size == max(above) - low + 1 and sum(node == up for node, up in above.items()) == 1
    return Kept(holds, len(pairs) if size > LEAST else 0.0)


def _as_tree(value: Any) -> Any:
    """Each node but the first with an earlier one. Further items of a row stay."""
    low = min(min(row[:2]) for row in value)
    return type(value)(
        type(row)([low + (31 * row[0] + row[1]) % at, low + at, *row[2:]]) for at, row in enumerate(value, 1)
    )


def _once_in_a_column(value: Any) -> Kept | None:
    if not isinstance(value, list) or not all(type(item) in (int, str) for item in value):
        return None
    return Kept(len(set(value)) == len(value), len(value) if len(value) >= LEAST else 0.0)


def _in_a_column(value: Any, order: Callable[[Any, Any], bool]) -> Kept | None:
    if not isinstance(value, list) or len({type(item) for item in value}) > 1:
        return None
    distinct = 1 + sum(one != other for one, other in pairwise(value))
    try:
        ordered = all(order(one, other) for one, other in pairwise(value))
    except TypeError:  # rows such as [4, "ab"] and ["ab", 4] have no order
        return None
    return Kept(ordered, math.lgamma(distinct + 1))


def _same_counts(values: Sequence[Any]) -> Iterator[Pattern]:
    """Letters that each text, or list of texts, has as often, as a map has one start."""
    texts = [_letters(value) for value in values]
    if None in texts or len(set(texts)) < LEAST:
        return
    # letters that are counted
    for letter in sorted(set("".join(map(str, texts))))[:12]:
        often = {str(text).count(letter) for text in texts}
        if len(often) == 1 and often != {0}:
            count = often.pop()

            def look(value: Any, letter: str = letter, count: int = count) -> Kept | None:
                text = _letters(value)
                return None if text is None else Kept(text.count(letter) == count, 1.0)

            yield Pattern(f"{{}} has {letter!r} {count} times", look)


def _letters(value: Any) -> str | None:
    """A text, or those of a list of them, one after the other."""
    if isinstance(value, list) and all(type(item) is str for item in value):
        return "".join(value)
    return value if type(value) is str else None


def _typed_rows(values: Sequence[Any]) -> list[Pattern]:
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

    return [Pattern(f"each row of {{}} holds {', '.join(first)}", look)]


def _is_table(value: Any) -> bool:
    """Return True for a list of lists of which some are short: columns of wider rows are not typed separately."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(row, list) for row in value[:MOST])
        and any(len(row) <= 8 for row in value[:MOST])
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
    found = _lists_by_key(value)
    return found if found and _are_nodes(found) else None


def _lists_by_key(value: Any) -> Links | None:
    """The items of each list or set in a mapping of nothing else."""
    if not isinstance(value, dict) or not all(isinstance(row, list | set | frozenset) for row in value.values()):
        return None
    return {node: list(row) for node, row in value.items()}


def _listed_adjacency(value: Any) -> Links | None:
    """The same, but of no mapping."""
    return _adjacency(value) if isinstance(value, list) or _is_sparse(value) else None


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


def _with_own_keys(value: Mapping[Any, Any]) -> dict[Any, Any]:
    keys = list(value)
    return {
        node: type(row)(item if item in value else keys[at % len(keys)] for at, item in enumerate(row))
        for node, row in value.items()
    }


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


def _are_sorted(found: Links) -> Kept:
    weight = BY_HAND * sum(math.lgamma(len(row) + 1) for row in found.values())
    return Kept(all(row == sorted(row) for row in found.values()), weight)


def _is_mutual(found: Links) -> Kept:
    links = {(node, other) for node, row in found.items() for other in row if node != other}
    share = len(links) / (len(found) * max(1, len(found) - 1))
    weight = len(links) / 2 * -math.log(share) if links and len(found) >= LEAST else 0.0
    return Kept(all((other, node) in links for node, other in links), weight)


def _matrix(value: Any) -> Matrix | None:
    """A square matrix of numbers; None for anything else."""
    if not isinstance(value, list) or len(value) < 2:
        return None
    if not all(isinstance(row, list) and len(row) == len(value) for row in value):
        return None
    return value if all(type(item) in (int, float) for row in value[:SIDE] for item in row[:SIDE]) else None


def _opposite(matrix: Matrix) -> list[tuple[float, float]]:
    """Items on one side of the diagonal, each with the one on the other side, of the beginning."""
    return [(matrix[row][column], matrix[column][row]) for row in range(len(matrix[:SIDE])) for column in range(row)]


def _is_symmetric(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    counts = Counter(item for pair in pairs for item in pair)
    alike = sum((count / (2 * len(pairs))) ** 2 for count in counts.values())
    # all of it, also of a long call: one changed item behind the beginning would be said to keep it
    holds = [*map(list, zip(*matrix, strict=True))] == matrix
    return Kept(holds, len(pairs) * -math.log(alike) if alike < 1 else 0.0)


def _is_one_way(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    share = sum(bool(item) for pair in pairs for item in pair) / (2 * len(pairs))
    both = enumerate(zip(matrix, zip(*matrix, strict=True), strict=True))
    holds = not any(one and other for at, (row, column) in both for one, other in zip(row[:at], column, strict=False))
    return Kept(holds, len(pairs) * share**2)


def _is_bare_diagonal(matrix: Matrix) -> Kept:
    pairs = _opposite(matrix)
    share = sum(bool(item) for pair in pairs for item in pair) / (2 * len(pairs))
    return Kept(not any(row[at] for at, row in enumerate(matrix)), len(matrix[:SIDE]) * share)


def _is_ordered(value: Any, sign: int) -> Kept | None:
    """Half of the logarithm of the number of orders of the distinct items, as evidence for an order.

    Nothing for numbers in equal steps, such as [1, 2, 3]: people write those for any list.
    """
    if not isinstance(value, (*ROWS, str)):
        return None
    try:
        holds = all(one <= other if sign > 0 else one >= other for one, other in pairwise(value))
    except TypeError:
        return None
    if not holds:
        return Kept(False)
    distinct = 1 + sum(one != other for one, other in pairwise(value))
    habit = isinstance(value, str) or _in_equal_steps(value)
    weight = 0.0 if habit else BY_HAND * math.lgamma(distinct + 1)
    return Kept(holds, min(weight, OF_CALLS.weight / LEAST))


def _in_order(value: Any) -> Any:
    return "".join(sorted(value)) if isinstance(value, str) else type(value)(sorted(value))


def _in_equal_steps(value: Sequence[Any]) -> bool:
    if not set(map(type, value)) <= {int}:
        return False
    steps = (other - one for one, other in pairwise(value))
    first = next(steps, 0)
    return all(step == first for step in steps)


def _are_distinct(value: Any) -> Kept | None:
    """Check that no number comes twice, where there are few that they could be."""
    if not isinstance(value, ROWS) or not all(type(item) is int for item in value):
        return None
    pairs = len(value) * (len(value) - 1) / 2
    by_habit = len(value) > 2 and _in_equal_steps(value)  # two numbers are always in equal steps
    usual = bool(value) and not by_habit and max(map(abs, value)) < LARGE
    known = BY_HAND * pairs / (max(value) - min(value) + 1) if usual else 0.0
    return Kept(len(set(value)) == len(value), known)


def _comes_once(value: Any) -> Kept | None:
    """Check that no item comes twice: without evidence, as few of many texts are the same."""
    try:
        return Kept(len(set(value)) == len(value)) if isinstance(value, (*ROWS, str)) else None
    except TypeError:  # items that cannot be hashed
        return None


def _without_repeats(value: Any) -> Any:
    return "".join(dict.fromkeys(value)) if isinstance(value, str) else type(value)(dict.fromkeys(value))


def _is_permutation(value: Any, first: int) -> Kept | None:
    if not isinstance(value, ROWS) or not value or not all(type(item) is int for item in value):
        return None
    size = len(value)
    weight = 0.0 if _in_equal_steps(value) else BY_HAND * (size * math.log(size) - math.lgamma(size + 1))
    return Kept(sorted(value) == list(range(first, first + size)), weight)


def _as_permutation(value: Sequence[int], first: int) -> Any:
    places = sorted(range(len(value)), key=lambda at: (value[at], at))
    found = dict(zip(places, range(first, first + len(value)), strict=True))
    return type(value)([found[at] for at in range(len(value))])  # type: ignore[call-arg]


def _cells(value: Any) -> list[Any] | None:
    """Items of all rows of a table, row by row; None for anything else."""
    rows = isinstance(value, ROWS) and all(isinstance(row, ROWS) for row in value)
    return list(chain.from_iterable(value)) if rows else None


def _permuted_cells(value: Any) -> Any:
    cells = iter(_as_permutation(list(chain.from_iterable(value)), 1))
    return type(value)(type(row)(islice(cells, len(row))) for row in value)


def _has_even_rows(value: Any) -> Kept | None:
    if not isinstance(value, ROWS):
        return None
    lengths = [len(row) for row in value if isinstance(row, (list, str, bytes))]
    uneven = len(set(lengths)) > 1
    if not uneven and len(lengths) < len(value):
        return None
    # letters of words that are of one length by habit: fewer
    toy = bool(lengths) and not isinstance(value[0], ROWS) and lengths[0] < 4
    return Kept(not uneven, 0.0 if toy else math.log(3) * max(0, len(lengths) - 1))


def _with_even_rows(value: Any) -> Any:
    rows = [row for row in value if isinstance(row, (*ROWS, str, bytes)) and len(row)]
    size = len(rows[0]) if rows else 0
    return type(value)((row * size)[:size] if len(row) else rows[0] for row in value) if rows else value


def _with_ordered_rows(value: Any) -> Any:
    return type(value)(type(row)([*sorted(row[:2]), *row[2:]]) for row in value)


_RISE = "the first number of each pair of {} is below the second"
_LINKS = "no pair of {} comes twice, in either order"
SORTED = "{} is sorted"
EVEN = "the rows of {} are equally long"
PATTERNS = (
    Pattern("{} is a permutation from 0", lambda v: _is_permutation(v, 0), "", lambda v: _as_permutation(v, 0)),
    Pattern("{} is a permutation from 1", lambda v: _is_permutation(v, 1), "", lambda v: _as_permutation(v, 1)),
    Pattern("no number of {} comes twice", _are_distinct, "", _without_repeats),
    Pattern(ONCE, _comes_once, "", _without_repeats),
    Pattern("all numbers in the rows of {} are a permutation from 1",
            _of(_cells, lambda cells: _is_permutation(cells, 1)), "", _permuted_cells),
    Pattern(EVEN, _has_even_rows, "", _with_even_rows),
    Pattern(
        _RISE, _of(_spans, lambda pairs: Kept(all(a < b for a, b in pairs), BY_HAND * math.log(2) * len(pairs))), "",
        _with_ordered_rows,
    ),
    Pattern(
        "the first number of each pair of {} is at most the second",
        _of(_spans, lambda pairs: Kept(all(a <= b for a, b in pairs), BY_HAND * math.log(2) * len(pairs))), _RISE,
        _with_ordered_rows,
    ),
    Pattern(
        "no pair of {} has the same number twice", _of(_pairs, _pairs_apart), _RISE,
        lambda v: type(v)(row for row in v if row[0] != row[1]),
    ),
    Pattern(
        _LINKS, _of(_pairs, lambda pairs: _once(pairs, frozenset, 2)), "",
        lambda v: type(v)({frozenset(row[:2]): row for row in v}.values()),
    ),
    Pattern(
        "no pair of {} comes twice", _of(_pairs, lambda pairs: _once(pairs, tuple, 1)), _LINKS,
        lambda v: type(v)({tuple(row[:2]): row for row in v}.values()),
    ),
    Pattern("the pairs of {} are the edges of a tree", _of(_pairs, _are_a_tree), "", _as_tree),
    Pattern(
        "the lists of {} hold its own keys",
        _of(_lists_by_key, lambda found: Kept(_are_nodes(found), BY_HAND * sum(map(len, found.values())))), "",
        _with_own_keys,
    ),
    Pattern("the pointers of {} are those of a square sparse matrix", _is_by_rows),
    Pattern("no list of {} holds its own place", _of(_adjacency, _no_loops)),
    Pattern("no list of {} holds anything twice", _neighbours_once),
    Pattern("each list of {} is sorted", _of(_listed_adjacency, _are_sorted)),
    Pattern("each link of {} has one back", _of(_adjacency, _is_mutual)),
    Pattern(
        "{} is symmetric", _of(_matrix, _is_symmetric), "",
        lambda v: [[v[min(at, to)][max(at, to)] for to in range(len(v))] for at in range(len(v))],
    ),
    Pattern("{} is a symmetric sparse matrix", _weighs_the_same),
    Pattern("{} leads one way only", _of(_matrix, _is_one_way)),
    Pattern(
        "the diagonal of {} is zero", _of(_matrix, _is_bare_diagonal), "",
        lambda v: [[0 if at == to else item for to, item in enumerate(row)] for at, row in enumerate(v)],
    ),
    Pattern(SORTED, lambda v: _is_ordered(v, 1), "", _in_order),
    Pattern("{} is sorted, the largest first", lambda v: _is_ordered(v, -1), SORTED,
            lambda v: _in_order(v)[::-1]),
)  # fmt: skip
"""Patterns. A stronger one comes before those that it implies."""
OF_COLUMNS = (
    Pattern(ONCE, _once_in_a_column, "", _without_repeats),
    Pattern(SORTED, lambda v: _in_a_column(v, operator.le), "", _in_order),
    Pattern("{} is sorted, the largest first", lambda v: _in_a_column(v, operator.ge), SORTED,
            lambda v: _in_order(v)[::-1]),
)  # fmt: skip
"""Patterns of a column of a table. What a program reads is not written by hand: an order there is meant."""
