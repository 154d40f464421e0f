"""Counting the elements below or above a value, in a loop: sort once, then search by halves."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import outermost, unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import from_import
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import builtin_call, names_in, rebound
from codeopt.rules._ranges import index_is_valid
from codeopt.rules._types import Types, types_of

SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SEARCH = {"<": "bisect_left", "<=": "bisect_right", ">": "bisect_right", ">=": "bisect_left"}


@dataclass(frozen=True, eq=False)
class Count:
    """`sum(1 for v in values if v < limit)`, or `len([v for v in values if v < limit])`."""

    call: ast.Call
    values: ast.Name
    sign: str
    limit: ast.expr


def rewrite(text: str, hot: Hot) -> str | None:
    """A sorted copy before the loop that does not change the list, and a search in it."""
    module = parse(text)
    if module is None or any(rebound(module, name) for name in ("len", "sorted")):
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[Count]] = {}
    for node in hot_nodes(module, hot, ast.Call):
        count = _count(module, node)
        place = _place(module, types, count) if count is not None else None
        if count is not None and place is not None:
            places.setdefault((place, count.values.id), []).append(count)
    names = sorted({SEARCH[count.sign] for counts in places.values() for count in counts})
    imported = from_import(module, "bisect", *names) if names else None
    return module.edited([*imported, *_edits(module, places)]) if imported is not None else None


def _count(module: Module, call: ast.Call) -> Count | None:
    match call.args:
        case [ast.GeneratorExp(ast.Constant(1), [one])] if builtin_call(module, call, "sum") and len(one.ifs) == 1:
            return _compared(call, one, one.ifs[0])
        case [ast.GeneratorExp(ast.Compare() as test, [one])] if builtin_call(module, call, "sum") and not one.ifs:
            return _compared(call, one, test)
        case [ast.ListComp(elt, [one])] if len(one.ifs) == 1:
            if builtin_call(module, call, "len") and isinstance(elt, ast.Name | ast.Constant):
                plain = isinstance(elt, ast.Constant) or elt.id in names_in([one.target])
                return _compared(call, one, one.ifs[0]) if plain else None
            if builtin_call(module, call, "sum") and isinstance(elt, ast.Constant) and elt.value == 1:
                return _compared(call, one, one.ifs[0]) if type(elt.value) is int else None
    return None


def _compared(call: ast.Call, one: ast.comprehension, test: ast.expr) -> Count | None:
    match one, test:
        case ast.comprehension(ast.Name(target), ast.Name() as values, _, 0), ast.Compare(left, [sign], [right]):
            if type(sign) not in SIGNS or call.lineno != last_line(call):
                return None
            found = SIGNS[type(sign)]
            for element, limit, turned in ((left, right, found), (right, left, TURNED[found])):
                if isinstance(element, ast.Name) and element.id == target and target not in names_in([limit]):
                    return Count(call, values, turned, limit)
    return None


def _place(module: Module, types: Types, count: Count) -> ast.stmt | None:
    lists = types.containers(count.values, "list", "tuple")
    whole = all(set(c.elements) <= {"int", "bool"} and c.elements for c in lists)
    plain = _cannot_fail(module, types, count.limit)
    if not lists or not whole or not plain or not types.is_int(count.limit):
        return None
    return outermost(module, types, count.call, [count.values], partial(_leaves, module, types, count.values))


def _cannot_fail(module: Module, types: Types, limit: ast.expr) -> bool:
    """The list may be empty, and then nobody asks for the limit."""
    match limit:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult(), right):
            return all(_cannot_fail(module, types, part) and types.is_int(part) for part in (left, right))
        case ast.Subscript(ast.Name() as values, index):
            return _cannot_fail(module, types, index) and index_is_valid(module, types, values, index, limit)
    return False


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    touched = effects.changed | effects.resized
    return effects.keeps(module, types, values) and effects.keeps_container(types, values, touched)


def _edits(module: Module, places: dict[tuple[ast.stmt, str], list[Count]]) -> list[Edit]:
    edits: list[Edit] = []
    taken: set[str] = set()
    for (place, values), counts in places.items():
        name = unused_name(module, taken, f"sorted_{values}")
        edits.append(module.before(place, f"{name} = sorted({values})"))
        edits += [module.replace(count.call, _searched(module, count, name)) for count in counts]
    return edits


def _searched(module: Module, count: Count, name: str) -> str:
    found = f"{SEARCH[count.sign]}({name}, {module.source(count.limit)})"
    if count.sign in ("<", "<="):
        return found
    return f"(len({name}) - {found})"


RULE = Rule(
    name="bisect_count",
    reason="The whole list is gone through for each count: in a sorted copy, bisect finds the place in a few steps.",
    before="""\
uppers = list(map(int, "3 1 4 1 5".split()))
lowers = list(map(int, "2 7 1 8".split()))
total = 0
for middle in [2, 4, 6]:
    total += len([u for u in uppers if u < middle]) * sum(1 for low in lowers if low > middle)
print(total)
""",
    after="""\
from bisect import bisect_left, bisect_right

uppers = list(map(int, "3 1 4 1 5".split()))
lowers = list(map(int, "2 7 1 8".split()))
total = 0
sorted_uppers = sorted(uppers)
sorted_lowers = sorted(lowers)
for middle in [2, 4, 6]:
    total += bisect_left(sorted_uppers, middle) * (len(sorted_lowers) - bisect_right(sorted_lowers, middle))
print(total)
""",
    limits=(
        "Counts of one comparison with the element of a list or tuple of whole numbers, which the loop does not change "
        "through any name, and a limit that is a whole number: names, sums and products, and elements that show to "
        "exist."
    ),
    rewrite=rewrite,
)
