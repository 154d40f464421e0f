"""Relations between arguments that a function's code relies on, found in its text.

Those that all known calls keep are likely invariants in the terms of Daikon (Ernst et al. 2001).
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from codeopt.analysis.positions import Def
from codeopt.workloads.contract.function.graphs import BY_HAND, ENOUGH
from codeopt.workloads.contract.function.seen import FEW
from codeopt.workloads.source.functions import dotted

_SEARCHES = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right", "merge")
"""Functions of `bisect` and `heapq` that ask for what is sorted."""
_RANGES = ("range", "xrange")
"""The second as packages name the first that also run under Python 2."""
_SIZED = (list, tuple, str, bytes)


def _a_few(*_: Any) -> float:
    """Weight of which FEW calls are enough."""
    return ENOUGH / FEW


@dataclass(frozen=True)
class ArgumentRelation:
    words: str
    """Description of what a call that breaks it lacks."""
    parameters: tuple[str, ...]
    holds: Callable[..., bool | None]
    kept_by: Callable[..., Any] | None = None
    """Value that the last of the parameters would have to have, made of arguments that break it."""
    weight: Callable[..., float] = _a_few
    """Evidence of one call that keeps it, as `Kept.weight`."""

    def keeps(self, given: Mapping[str, Any]) -> bool | None:
        """Return True if a call keeps the relation. None if the relation does not apply."""
        if not all(name in given for name in self.parameters):
            return None
        return self.holds(*(given[name] for name in self.parameters))

    def is_kept_by(self, calls: Sequence[Mapping[str, Any]]) -> bool:
        """Return True if all calls to which it applies keep it, and their number rules out chance."""
        applied = [(call, keeps) for call in calls if (keeps := self.keeps(call)) is not None]
        if not all(keeps for _, keeps in applied):
            return False
        return sum(self.weight(*(call[name] for name in self.parameters)) for call, _ in applied) >= ENOUGH


def relations(node: Def) -> list[ArgumentRelation]:
    """Return all relations that the code of a function may rely on."""
    names = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    found = [*_indices(node, names), *_sorted(node, names), *_lengths(node, names), *_tables(node, names)]
    return list({each.words: each for each in found}.values())


def _indices(node: Def, names: set[str]) -> Iterator[ArgumentRelation]:
    """`items[at]`, of two parameters, or of `at` in a parameter that is looped over."""
    loops = _loops(node, names)
    for each in ast.walk(node):
        if not isinstance(each, ast.Subscript) or not isinstance(each.value, ast.Name) or each.value.id not in names:
            continue
        used = {part.id for part in ast.walk(each.slice) if isinstance(part, ast.Name)}
        for index in sorted(used & names - {each.value.id}):
            words = f"in every known call `{index}` is an index within `{each.value.id}`"
            yield ArgumentRelation(words, (each.value.id, index), _is_index, _an_index)
        for index in sorted({loops[name] for name in used & loops.keys()} - {each.value.id}):
            words = f"in every known call `{index}` holds indices within `{each.value.id}`"
            yield ArgumentRelation(words, (each.value.id, index), _are_indices)


def _loops(node: Def, names: set[str]) -> dict[str, str]:
    """Names that loops over a parameter bind -> the parameter."""
    found: dict[str, str] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.For | ast.comprehension) and isinstance(each.iter, ast.Name) and each.iter.id in names:
            targets = (part.id for part in ast.walk(each.target) if isinstance(part, ast.Name))
            found.update(dict.fromkeys(targets, each.iter.id))
    return found


def _sorted(node: Def, names: set[str]) -> Iterator[ArgumentRelation]:
    """Yield that a parameter is sorted. That the code searches by halves shows it in few calls."""
    calls = [each for each in ast.walk(node) if isinstance(each, ast.Call)]
    searches = [call for call in calls if dotted(call.func).rpartition(".")[2] in _SEARCHES]
    searched = {given.id for call in searches for given in call.args if isinstance(given, ast.Name)}
    for name in sorted(names):
        words = f"in every known call `{name}` is sorted"
        weight = _a_few if name in searched else _weight_of_order
        yield ArgumentRelation(words, (name,), _is_sorted, _in_order, weight)


def _lengths(node: Def, names: set[str]) -> Iterator[ArgumentRelation]:
    """Two that are read at the same index, or in step."""
    by_index: dict[str, set[str]] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Subscript) and isinstance(each.value, ast.Name) and each.value.id in names:
            by_index.setdefault(ast.unparse(each.slice), set()).add(each.value.id)
        elif isinstance(each, ast.Call) and dotted(each.func) == "zip":
            by_index[ast.unparse(each)] = {a.id for a in each.args if isinstance(a, ast.Name) and a.id in names}
    for together in by_index.values():
        for one, other in combinations(sorted(together), 2):
            yield ArgumentRelation(f"in every known call `{one}` is as long as `{other}`", (one, other), _as_long)


def _tables(node: Def, names: set[str]) -> Iterator[ArgumentRelation]:
    """Yield relations of tables that are read by rows and columns, and of a number of rows or columns."""
    read = [each.value for each in ast.walk(node) if isinstance(each, ast.Subscript)]
    rows = {each.id for each in read if isinstance(each, ast.Name)} & names
    named = _loops(node, names) | _rows(node, names)
    by_name = {named[each.id] for each in read if isinstance(each, ast.Name) and each.id in named}
    inside = (each.value for each in read if isinstance(each, ast.Subscript))
    tables = by_name | {each.id for each in inside if isinstance(each, ast.Name) and each.id in names}
    ranges = [each for each in ast.walk(node) if isinstance(each, ast.Call) and dotted(each.func) in _RANGES]
    counts = {part.id for each in ranges for part in ast.walk(each) if isinstance(part, ast.Name)} & names
    for table in sorted(tables):
        yield ArgumentRelation(f"in every known call the rows of `{table}` are equally long", (table,), _is_even)
    for items in sorted(rows):
        for count in sorted(counts - {items}):
            words = f"in every known call `{count}` is the length of `{items}`"
            yield ArgumentRelation(words, (items, count), _has, _length)
            if items in tables:
                words = f"in every known call `{count}` is the length of each row of `{items}`"
                yield ArgumentRelation(words, (items, count), _has_columns, _columns)


def _rows(node: Def, names: set[str]) -> dict[str, str]:
    """Names that are given an item of a parameter, as in `row = table[y]` -> the parameter."""
    found: dict[str, str] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Subscript):
            of = each.value.value
            if isinstance(of, ast.Name) and of.id in names:
                found |= {target.id: of.id for target in each.targets if isinstance(target, ast.Name)}
    return found


def _is_index(items: Any, at: Any) -> bool | None:
    return 0 <= at < len(items) if isinstance(items, _SIZED) and type(at) is int else None


def _an_index(items: Any, at: int) -> int:
    return at % max(len(items), 1)


def _are_indices(items: Any, places: Any) -> bool | None:
    if not isinstance(items, _SIZED) or not isinstance(places, list | tuple):
        return None
    flat = [part for place in places for part in (place if isinstance(place, list | tuple) else (place,))]
    return all(0 <= at < len(items) for at in flat) if all(type(at) is int for at in flat) else None


def _is_sorted(items: Any) -> bool | None:
    try:
        return all(one <= other for one, other in pairwise(items))
    except TypeError:
        return None


def _weight_of_order(items: Any) -> float:
    """Half of the logarithm of the number of orders of the distinct items, no more than that of a relation in the code.

    Nothing for numbers in equal steps, such as [1, 2, 3]: people write those for any list.
    """
    pairs = list(pairwise(items)) if isinstance(items, list | tuple) else []
    if not pairs or all(isinstance(item, int) for item in items) and len({other - one for one, other in pairs}) <= 1:
        return 0.0
    distinct = 1 + sum(one < other for one, other in pairs)
    return min(BY_HAND * math.lgamma(distinct + 1), _a_few())


def _in_order(items: Any) -> Any:
    try:
        return type(items)(sorted(items)) if isinstance(items, list | tuple) else items
    except TypeError:
        return items


def _as_long(one: Any, other: Any) -> bool | None:
    return len(one) == len(other) if isinstance(one, _SIZED) and isinstance(other, _SIZED) else None


def _is_even(table: Any) -> bool | None:
    uneven = isinstance(table, list | tuple) and len(set(_row_lengths(table))) > 1
    return not uneven if uneven or _is_table(table) else None


def _has(items: Any, count: Any) -> bool | None:
    return len(items) == count if isinstance(items, _SIZED) and type(count) is int else None


def _length(items: Any, count: int) -> int:
    return len(items)


def _columns(table: Any, count: int) -> int:
    return len(table[0])


def _has_columns(table: Any, count: Any) -> bool | None:
    if not isinstance(table, list | tuple) or type(count) is not int:
        return None
    differs = any(length != count for length in _row_lengths(table))
    return not differs if differs or _is_table(table) else None


def _row_lengths(table: Sequence[Any]) -> list[int]:
    """Lengths of the rows that have one: those of a list with other items show that a relation does not hold."""
    return [len(row) for row in table if isinstance(row, _SIZED)]


def _is_table(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(row, _SIZED) for row in value)
