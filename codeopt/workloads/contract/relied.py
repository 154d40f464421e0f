"""Relations between parameters that a function's text relies on: indices, sorted lists, lists that are read in step."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from codeopt.analysis.nodes import Def
from codeopt.workloads.source.functions import dotted

_SEARCHES = ("bisect", "bisect_left", "bisect_right", "insort", "insort_left", "insort_right", "merge")
"""Functions of `bisect` and `heapq` that ask for what is sorted."""
_RANGES = ("range", "xrange")
"""The second as packages name the first that also run under Python 2."""


@dataclass(frozen=True)
class Relied:
    """Names of parameters."""

    indices: tuple[tuple[str, str, bool], ...] = ()
    """What is indexed, and the index or the list of indices; True of a list that is looped over."""
    ordered: frozenset[str] = frozenset()
    stated: frozenset[str] = frozenset()
    """Sorted ones, as the docstring says."""
    equal: tuple[tuple[str, str], ...] = ()
    """Lists that are read in step."""
    tables: tuple[str, ...] = ()
    """What is read by rows and columns."""
    counts: tuple[tuple[str, str], ...] = ()
    """What is read by index, and the end of a range."""


NOTHING_RELIED = Relied()


def relied_on(node: Def, stated: frozenset[str] = frozenset()) -> Relied:
    """What the code of a function may rely on. stated: lists that its docstring calls sorted."""
    names = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
    nodes = list(ast.walk(node))
    read = [each for each in nodes if isinstance(each, ast.Subscript)]
    calls = [each for each in nodes if isinstance(each, ast.Call)]
    # names that loops over a parameter bind, each with the parameter
    loops: dict[str, str] = {}
    for each in nodes:
        if isinstance(each, ast.For | ast.comprehension) and isinstance(each.iter, ast.Name) and each.iter.id in names:
            loops |= {part.id: each.iter.id for part in ast.walk(each.target) if isinstance(part, ast.Name)}
    indices: dict[tuple[str, str, bool], None] = {}
    by_index: dict[str, set[str]] = {}
    for each in read:
        if (
            isinstance(each.value, ast.Name)
            and (items := each.value.id) in names
            and not isinstance(each.slice, ast.Slice)
        ):
            used = {part.id for part in ast.walk(each.slice) if isinstance(part, ast.Name)}
            indices |= {(items, at, False): None for at in sorted(used & names - {items})}
            indices |= {(items, loops[at], True): None for at in sorted(used & loops.keys()) if loops[at] != items}
            by_index.setdefault(ast.unparse(each.slice), set()).add(items)
    for call in calls:
        if dotted(call.func) == "zip":
            by_index[ast.unparse(call)] = {a.id for a in call.args if isinstance(a, ast.Name) and a.id in names}
    searches = [call for call in calls if dotted(call.func).rpartition(".")[2] in _SEARCHES]
    searched = {given.id for call in searches for given in call.args if isinstance(given, ast.Name)} & names
    rows = sorted({each.value.id for each in read if isinstance(each.value, ast.Name)} & names)
    inside = {
        part.value.id
        for each in read
        if isinstance(part := each.value, ast.Subscript) and isinstance(part.value, ast.Name)
    }
    named = loops | dict(_rows(nodes, names))
    by_name = {named[each.value.id] for each in read if isinstance(each.value, ast.Name) and each.value.id in named}
    ranges = [part for call in calls if dotted(call.func) in _RANGES for part in ast.walk(call)]
    ends = sorted({part.id for part in ranges if isinstance(part, ast.Name)} & names)
    return Relied(
        tuple(indices),
        frozenset(searched),
        stated,
        tuple(dict.fromkeys(pair for each in by_index.values() for pair in combinations(sorted(each), 2))),
        tuple(sorted((inside & names) | by_name)),
        tuple((items, count) for items in rows for count in ends if count != items),
    )


def _rows(nodes: list[ast.AST], names: set[str]) -> Iterator[tuple[str, str]]:
    """Names that are given an item of a parameter, as in `row = table[y]`, each with the parameter."""
    for each in nodes:
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Subscript):
            of = each.value.value
            if isinstance(of, ast.Name) and of.id in names:
                yield from ((target.id, of.id) for target in each.targets if isinstance(target, ast.Name))
