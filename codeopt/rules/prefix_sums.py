"""`sum(values[a:b])` in a loop that leaves the values as they are: the difference of two running sums."""

from __future__ import annotations

import ast
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import outermost, unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import from_import, function_below
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call, rebound
from codeopt.rules._types import Types, types_of

HELPER = (
    "def {name}(sums, start, stop):",
    '{indent}"""The sum of values[start:stop], from the running sums of the values."""',
    "{indent}start, stop, _ = slice(start, stop).indices(len(sums) - 1)",
    "{indent}return sums[stop] - sums[start] if start < stop else 0",
)


def rewrite(text: str, hot: Hot) -> str | None:
    """Running sums before the loop, and a small function that treats bounds as slices do."""
    module = parse(text)
    if module is None or any(rebound(module, name) for name in ("len", "slice")):
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str], list[ast.Call]] = {}
    for node in hot_nodes(module, hot, ast.Call):
        found = _place(module, types, node)
        if found is not None:
            places.setdefault(found, []).append(node)
    imported = from_import(module, "itertools", "accumulate") if places else None
    if imported is None:
        return None
    return module.edited(_edits(module, imported, places))


def _place(module: Module, types: Types, call: ast.Call) -> tuple[ast.stmt, str] | None:
    match call:
        case ast.Call(_, [ast.Subscript(ast.Name() as values, ast.Slice(lower, upper, None))]):
            lists = types.containers(values, "list", "tuple")
            whole = all(set(c.elements) <= {"int", "bool"} and c.elements for c in lists)
            bounds = [bound for bound in (lower, upper) if bound is not None]
            if builtin_call(module, call, "sum") and lists and whole and bounds and types.is_int(*bounds):
                place = outermost(module, types, call, [values], partial(_leaves, module, types, values))
                return (place, values.id) if place is not None else None
    return None


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    touched = effects.changed | effects.resized
    return effects.keeps(module, types, values) and effects.keeps_container(types, values, touched)


def _edits(module: Module, imported: list[Edit], places: dict[tuple[ast.stmt, str], list[ast.Call]]) -> list[Edit]:
    taken: set[str] = set()
    helper = unused_name(module, taken, "range_sum", "sum_between")
    lines = [line.format(name=helper, indent=module.indent) for line in HELPER]
    edits = function_below(module, imported, lines)
    for (place, values), calls in places.items():
        sums = unused_name(module, taken, f"{values}_sums")
        edits.append(module.before(place, f"{sums} = [0, *accumulate({values})]"))
        edits += [module.replace(call, f"{helper}({sums}, {_bounds(module, call)})") for call in calls]
    return edits


def _bounds(module: Module, call: ast.Call) -> str:
    match call.args:
        case [ast.Subscript(slice=ast.Slice(lower, upper))]:
            return ", ".join(module.source(bound) if bound is not None else "None" for bound in (lower, upper))
    raise AssertionError(ast.dump(call))


RULE = Rule(
    name="prefix_sums",
    reason="sum() of a slice copies it and adds all of it up: a difference of two running sums gives the same at once.",
    before="""\
import sys

heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
best = 0
for start in range(len(heights)):
    best = max(best, sum(heights[start : start + 3]))
print(best, file=sys.stdout)
""",
    after="""\
import sys
from itertools import accumulate


def range_sum(sums, start, stop):
    \"\"\"The sum of values[start:stop], from the running sums of the values.\"\"\"
    start, stop, _ = slice(start, stop).indices(len(sums) - 1)
    return sums[stop] - sums[start] if start < stop else 0


heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
best = 0
heights_sums = [0, *accumulate(heights)]
for start in range(len(heights)):
    best = max(best, range_sum(heights_sums, start, start + 3))
print(best, file=sys.stdout)
""",
    limits=(
        "Slices without a step of a list or tuple of whole numbers that the loop does not change through any name. "
        "It pays for long slices only: the judge decides."
    ),
    rewrite=rewrite,
)
