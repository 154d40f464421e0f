"""`max(values[:i])` or `min(values[i:])` in a loop that leaves the values as they are: running extremes, made once."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codeopt.rules import INT, NUMBERS, STR, AnalyzedProgram, Context, Edits, as_diff, rule, spans_lines

TABLES = {
    "to": "[*accumulate({values}, {function})]",
    "from": "[*accumulate(reversed({values}), {function})][::-1]",
}


@dataclass(frozen=True, eq=False)
class Extreme:
    """One call of min() or max() on a slice."""

    call: ast.Call
    function: str
    values: ast.Name
    way: str
    """Direction of the slice: "to" an element, or "from" it."""
    counter: ast.Name
    offset: int
    """Distance of the element from the counter."""

    @property
    def index(self) -> str:
        """The text of the element's index."""
        sign = "+" if self.offset > 0 else "-"
        return f"{self.counter.id} {sign} {abs(self.offset)}" if self.offset else self.counter.id


EXAMPLE = as_diff("""\
+ from itertools import accumulate
+
  heights = list(map(int, "3 1 4 1 5 9 2 6".split()))
  water = 0
+ heights_max_to = [*accumulate(heights, max)]
+ heights_max_from = [*accumulate(reversed(heights), max)][::-1]
  for i in range(1, len(heights) - 1):
-     left = max(heights[:i])
-     right = max(heights[i + 1 :])
+     left = heights_max_to[i - 1]
+     right = heights_max_from[i + 1]
      water += max(0, min(left, right) - heights[i])
  print(water)
""")


@rule(ast.Call, example=EXAMPLE, builtins=("len", "min", "max", "reversed"))
def prefix_extremes(node: ast.Call, ctx: Context) -> Edits:
    """max() of a slice goes through all of it in each round: a list of the largest so far is made once.

    Slices that start or end at a name, or at a name and a number more, of a list or tuple of whole numbers or of text
    (of any numbers where the slice starts at 0), which the loop does not change through any name. It pays for long
    slices only: the judge decides.
    """
    program = ctx.program
    found = _extreme(program, node)
    if found is None or not _is_ordered(program, found):
        return
    values, function = found.values.id, found.function
    table = TABLES[found.way].format(values=values, function=function)
    name = ctx.bind_kept(node, found.values, table, f"{values}_{function}_{found.way}")
    if name:
        ctx.import_from("itertools", "accumulate")
        yield program.put(node, _looked_up(program, name, found))


def _extreme(program: AnalyzedProgram, call: ast.Call) -> Extreme | None:
    if not program.calls_builtin(call, "min", "max") or spans_lines(call) or _was_kept(program, call):
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


def _was_kept(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Whether the call is the fallback that this rule left for slices that may be empty."""
    match program.scopes.parent[call]:
        case ast.IfExp(ast.Compare(ast.Constant(0), [ast.LtE(), ast.Lt()], [_, ast.Call()]), _, orelse):
            return orelse is call
    return False


def _is_ordered(program: AnalyzedProgram, found: Extreme) -> bool:
    """Whether the elements have one total order, so that ties and nan do not matter."""
    inside = program.types.elements(found.values, "list", "tuple")
    ordered = inside in (INT, STR) or (found.way == "to" and inside <= NUMBERS)
    return bool(inside) and ordered and program.types.is_int(found.counter)


def _looked_up(program: AnalyzedProgram, name: str, found: Extreme) -> str:
    """The element of the table; where the slice may be empty or counted from the end, what was written instead."""
    if _is_valid(program, found):
        return f"{name}[{found.index}]"
    test = f"0 <= {found.index} < len({found.values.id})"
    return f"{name}[{found.index}] if {test} else {program.source(found.call)}"


def _is_valid(program: AnalyzedProgram, found: Extreme) -> bool:
    """Whether the counter is that of a range around, up to the length of a list that never gets shorter."""
    around = program.bounds.counted(found.counter, found.call)
    lists = program.types.containers(found.values, "list", "tuple")
    if around is None or any(c.escaped or c in program.escape.shrunk for c in lists):
        return False
    _, first, stop = around
    least = program.bounds.constant(first)
    left = _left_out(program, found.values, stop)
    return least is not None and left is not None and least + found.offset >= 0 and found.offset <= left


def _left_out(program: AnalyzedProgram, values: ast.Name, stop: ast.expr) -> int | None:
    """The k of `len(values) - k`; None for any other expression."""
    match stop:
        case ast.BinOp(whole, ast.Sub(), ast.Constant(int(less))):
            inner = _left_out(program, values, whole)
            return inner + less if inner is not None else None
        case ast.Name():
            made = program.bounds.definition(stop)
            return _left_out(program, values, made) if isinstance(made, ast.Call) else None
        case ast.Call(_, [ast.Name(values.id) as measured]) if program.calls_builtin(stop, "len"):
            once = program.scopes.is_bound_once(values)
            return 0 if once and program.scopes.variable(measured) == program.scopes.variable(values) else None
    return None
