"""`max(values[:i])` or `min(values[i:])` in a loop that leaves the values as they are: running extremes, made once."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import partial

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import constant, definition
from codeopt.rules._effects import Effects
from codeopt.rules._hoist import outermost, unused_name
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import from_import
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import builtin_call, rebound
from codeopt.rules._ranges import counted, shrunk
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import INT, NUMBERS, STR

TABLES = {
    "to": "{name} = [*accumulate({values}, {function})]",
    "from": "{name} = [*accumulate(reversed({values}), {function})][::-1]",
}
ALONE = ast.Assign | ast.AugAssign | ast.Return | ast.Call | ast.List | ast.Tuple


@dataclass(frozen=True, eq=False)
class Extreme:
    """One such call."""

    call: ast.Call
    function: str
    values: ast.Name
    way: str
    """The slice goes "to" an element, or starts "from" it."""
    counter: ast.Name
    offset: int
    """The element stands at counter + offset."""

    @property
    def index(self) -> str:
        """Where the element stands, as it is written."""
        sign = "+" if self.offset > 0 else "-"
        return f"{self.counter.id} {sign} {abs(self.offset)}" if self.offset else self.counter.id


def rewrite(text: str, hot: Hot) -> str | None:
    """Tables of the extremes so far before the loop, and a lookup where the slice is not empty."""
    module = parse(text)
    if module is None or any(rebound(module, name) for name in ("len", "min", "max", "reversed")):
        return None
    types = types_of(module)
    places: dict[tuple[ast.stmt, str, str, str], list[Extreme]] = {}
    for node in hot_nodes(module, hot, ast.Call):
        found = _extreme(module, node)
        before = _before(module, types, found) if found is not None else None
        if found is not None and before is not None:
            places.setdefault((before, found.values.id, found.function, found.way), []).append(found)
    imported = from_import(module, "itertools", "accumulate") if places else None
    return module.edited([*imported, *_edits(module, types, places)]) if imported is not None else None


def _extreme(module: Module, call: ast.Call) -> Extreme | None:
    if not builtin_call(module, call, "min", "max") or call.lineno != last_line(call) or _was_kept(module, call):
        return None
    match call:
        case ast.Call(ast.Name(function), [ast.Subscript(ast.Name() as values, ast.Slice(lower, upper, None))]):
            match lower, upper:
                case None | ast.Constant(0), ast.expr():
                    return _at(call, function, values, "to", upper, -1)
                case ast.expr(), None:
                    return _at(call, function, values, "from", lower, 0)
    return None


def _at(call: ast.Call, function: str, values: ast.Name, way: str, bound: ast.expr, offset: int) -> Extreme | None:
    match bound:
        case ast.Name():
            return Extreme(call, function, values, way, bound, offset)
        case ast.BinOp(ast.Name() as counter, ast.Add(), ast.Constant(int(more))):
            return Extreme(call, function, values, way, counter, offset + more)
    return None


def _was_kept(module: Module, call: ast.Call) -> bool:
    """It is what this rule left for slices that may be empty."""
    match module.scopes.parent[call]:
        case ast.IfExp(ast.Compare(ast.Constant(0), [ast.LtE(), ast.Lt()], [_, ast.Call()]), _, orelse):
            return orelse is call
    return False


def _before(module: Module, types: Types, found: Extreme) -> ast.stmt | None:
    """The loop before which the table can be made: elements of one order, so that ties and nan do not matter."""
    inside = {element for c in types.containers(found.values, "list", "tuple") for element in c.elements}
    ordered = inside in (INT, STR) or (found.way == "to" and inside <= NUMBERS)
    if not inside or not ordered or not types.is_int(found.counter):
        return None
    return outermost(module, types, found.call, [found.values], partial(_leaves, module, types, found.values))


def _leaves(module: Module, types: Types, values: ast.Name, effects: Effects) -> bool:
    touched = effects.changed | effects.resized
    return effects.keeps(module, types, values) and effects.keeps_container(types, values, touched)


def _edits(module: Module, types: Types, places: dict[tuple[ast.stmt, str, str, str], list[Extreme]]) -> list[Edit]:
    edits: list[Edit] = []
    taken: set[str] = set()
    for (before, values, function, way), found in places.items():
        name = unused_name(module, taken, f"{values}_{function}_{way}")
        edits.append(module.before(before, TABLES[way].format(name=name, values=values, function=function)))
        edits += [module.replace(one.call, _looked_up(module, types, name, one)) for one in found]
    return edits


def _looked_up(module: Module, types: Types, name: str, found: Extreme) -> str:
    """The element of the table; where the slice may be empty or counted from the end, what was written instead."""
    if _is_valid(module, types, found):
        return f"{name}[{found.index}]"
    test = f"0 <= {found.index} < len({found.values.id})"
    chosen = f"{name}[{found.index}] if {test} else {module.source(found.call)}"
    return chosen if isinstance(module.scopes.parent[found.call], ALONE) else f"({chosen})"


def _is_valid(module: Module, types: Types, found: Extreme) -> bool:
    """The counter is that of a range around, up to the length of a list that never gets shorter."""
    around = counted(module, found.counter, found.call)
    lists = types.containers(found.values, "list", "tuple")
    if around is None or any(c.escaped or c in shrunk(module, types) for c in lists):
        return False
    _, first, stop = around
    least = constant(module, first)
    left = _left_out(module, found.values, stop)
    return least is not None and left is not None and least + found.offset >= 0 and found.offset <= left


def _left_out(module: Module, values: ast.Name, stop: ast.expr) -> int | None:
    """k, where the expression is `len(values) - k`."""
    match stop:
        case ast.BinOp(whole, ast.Sub(), ast.Constant(int(less))):
            inner = _left_out(module, values, whole)
            return inner + less if inner is not None else None
        case ast.Name():
            made = definition(module, stop)
            return _left_out(module, values, made) if isinstance(made, ast.Call) else None
        case ast.Call(_, [ast.Name(values.id) as measured]) if builtin_call(module, stop, "len"):
            once = len(module.scopes.stores(module.scopes.variable(values))) == 1
            return 0 if once and module.scopes.variable(measured) == module.scopes.variable(values) else None
    return None


RULE = Rule(
    name="prefix_extremes",
    reason="max() of a slice goes through all of it in each round: a list of the largest so far is made once.",
    before="""\
heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
water = 0
for i in range(1, len(heights) - 1):
    left = max(heights[:i])
    right = max(heights[i + 1 :])
    water += max(0, min(left, right) - heights[i])
print(water)
""",
    after="""\
from itertools import accumulate

heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
water = 0
heights_max_to = [*accumulate(heights, max)]
heights_max_from = [*accumulate(reversed(heights), max)][::-1]
for i in range(1, len(heights) - 1):
    left = heights_max_to[i - 1]
    right = heights_max_from[i + 1]
    water += max(0, min(left, right) - heights[i])
print(water)
""",
    limits=(
        "Slices that start or end at a name, or at a name and a number more, of a list or tuple of whole numbers or of "
        "text (of any numbers where the slice starts at 0), which the loop does not change through any name. It pays "
        "for long slices only: the judge decides."
    ),
    rewrite=rewrite,
)
