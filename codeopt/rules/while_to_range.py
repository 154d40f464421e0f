"""`while i < n: ...; i += 1` to `for i in range(i, n)`: the counting is done in C."""

from __future__ import annotations

import ast
import re

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, both_ways, names_in, rule, spans_lines

UP = ("<", "<=")
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Call, ast.expr_context)
"""Nodes that a bound may be made of; the only call is len."""

EXAMPLE = as_diff("""\
  n = int("9")
- i = 0
  total = 0
- while i < n:
-     j = i
-     while j >= 0:
+ for i in range(n):
+     for j in range(i, -1, -2):
          total += i * j
-         j -= 2  # downwards
-     i += 1
  print(total)
""")


@rule(ast.While, example=EXAMPLE, builtins=("range",), priority=80)
def while_to_range(loop: ast.While, ctx: Context) -> list[Edit]:
    """A counter that Python adds to and compares in each round costs as much as the work: let range() count.

    Loops whose last statement alone adds a positive number to the counter, an int, without `continue`, whose bound is
    an int that the loop cannot change; the counter is not read after the loop before it is bound again, and no
    function shares it.
    """
    program = ctx.program
    head = _head(program, loop)
    last = loop.body[-1]
    if head is None or loop.orelse or len(loop.body) < 2 or not program.alone(last) or not program.alone(loop):
        return []
    counter, sign, bound, added = head
    if not _counts_alone(program, loop, counter) or not all(_stays(program, loop, part) for part in (bound, added)):
        return []
    step = program.source(added) if sign in UP else f"-{program.source(added)}"
    stop = _moved(program, bound, {"<=": 1, ">=": -1}.get(sign, 0))
    start, removed = _start(program, loop, counter)
    again = not removed and program.liveness.comes_back(loop, counter.id)
    colon = _colon(program, loop)
    if stop is None or colon is None or again or program.liveness.read_after(loop, counter.id):
        return []
    counted = stop if (start, step) == ("0", "1") else f"{start}, {stop}" if step == "1" else f"{start}, {stop}, {step}"
    line = f"for {counter.id} in range({counted})"
    return [*removed, Edit(program.span(loop)[0], colon, line), program.without_lines(last)]


def _head(program: AnalyzedProgram, loop: ast.While) -> tuple[ast.Name, str, ast.expr, ast.expr] | None:
    """The counter, the sign and the bound of `while i < n`, or of `while n > i`, and by how much it counts."""
    for name, sign, bound in both_ways(loop.test):
        if isinstance(name, ast.Name) and program.scopes.variable(name).scope is program.scopes.scope[loop]:
            added = _added(loop.body[-1], name.id, ast.Add if sign in UP else ast.Sub)
            if added is not None and _is_positive(program, added):
                return name, sign, bound, added
    return None


def _added(last: ast.stmt, name: str, operator: type[ast.operator]) -> ast.expr | None:
    """The amount that `i += 1` or `i = i + 1` adds, or with `ast.Sub` takes away; None for other statements."""
    match last:
        case ast.AugAssign(ast.Name(target), sign, value):
            source = target
        case ast.Assign([ast.Name(target)], ast.BinOp(ast.Name(source), sign, value)):
            pass
        case _:
            return None
    return value if target == source == name and isinstance(sign, operator) else None


def _is_positive(program: AnalyzedProgram, node: ast.expr) -> bool:
    """Whether an expression is a number above zero, or a name that is only ever bound to such, counted up from it or by
    a range from it."""
    match node:
        case ast.Constant(int(value)):
            return value > 0 and not isinstance(value, bool)
        case ast.Name():
            stores = program.scopes.stores(program.scopes.variable(node))
            return bool(stores) and all(_binds_positive(program, use.node) for use in stores)
    return False


def _binds_positive(program: AnalyzedProgram, store: ast.AST) -> bool:
    match program.scopes.parent[store]:
        case ast.Assign([target], ast.Constant(int(value))) if target is store:
            return value > 0 and not isinstance(value, bool)
        case ast.AugAssign(target, ast.Add() | ast.Mult(), ast.Constant(int(value))) if target is store:
            return value > 0
        case ast.For(target, source) if target is store:
            match program.range_bounds(source):
                case ast.Constant(int(first)), _:
                    return first > 0
    return False


def _counts_alone(program: AnalyzedProgram, loop: ast.While, counter: ast.Name) -> bool:
    """Whether the last statement alone changes the counter, an int, and nothing jumps over it."""
    inside, last = set(program.walk(loop)), set(program.walk(loop.body[-1]))
    stores = [use.node for use in program.scopes.stores(program.scopes.variable(counter)) if use.node in inside]
    own = any(isinstance(node, ast.Continue) and program.loops.around(node)[0] is loop for node in inside)
    return program.types.of(counter) == {"int"} and all(s in last for s in stores) and not own


def _stays(program: AnalyzedProgram, loop: ast.While, bound: ast.expr) -> bool:
    """Whether the bound is an int, and the same in every round."""
    calls = [part for part in program.walk(bound) if isinstance(part, ast.Call)]
    lengths = all(program.calls_builtin(call, "len") and len(call.args) == 1 for call in calls)
    if not lengths or not program.is_made_of(bound, SIMPLE) or not program.types.is_int(bound):
        return False
    return program.effects.of(*loop.body).keeps(bound)


def _moved(program: AnalyzedProgram, bound: ast.expr, by: int) -> str | None:
    """The bound plus or minus one, without `n - 1 + 1`."""
    if spans_lines(bound):
        return None
    match bound:
        case ast.Constant(int(value)):
            return str(value + by)
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, ast.Constant(1)) if by:
            if isinstance(operator, ast.Sub) == (by > 0):
                return program.source(left)
    return program.source(bound) + {0: "", 1: " + 1", -1: " - 1"}[by]


def _start(program: AnalyzedProgram, loop: ast.While, counter: ast.Name) -> tuple[str, list[Edit]]:
    """The start of the counter: the value from a statement above, which then is not needed, or the counter itself."""
    block = program.block_of(loop)
    above = block[: block.index(loop)]
    for distance, statement in enumerate(reversed(above)):
        match statement:
            case ast.Assign([ast.Name(name)], value) if name == counter.id:
                plain = isinstance(value, ast.Constant) or not distance
                whole = plain and program.types.is_int(value) and not spans_lines(value)
                comment = program.text[program.span(statement)[1] :].partition("\n")[0].strip()
                if whole and program.alone(statement) and not comment:
                    return program.source(value), [program.without_lines(statement)]
                break
            case ast.Assign() if counter.id not in names_in([statement]):
                continue
        break
    return counter.id, []


def _colon(program: AnalyzedProgram, loop: ast.While) -> int | None:
    """Position of the colon after the test."""
    end = program.span(loop.test)[1]
    found = re.match(r"[ \t)]*:", program.text[end:])
    return end + found.end() - 1 if found else None
