"""`if i > limit: continue` at the start of a counting loop to `break`: all later rounds would do the same."""

from __future__ import annotations

import ast

from codeopt.rules import AnalyzedProgram, Context, Edit, Variable, as_diff, is_sum, names_in, rule

GREATER = ast.Gt | ast.GtE
LESS = ast.Lt | ast.LtE

EXAMPLE = as_diff("""\
  n = 6
  cells = []
  for width in range(1, n):
      for i in range(n):
          j = i + width
          if j > n:
-             continue  # outside
+             break  # outside
          cells.append(i * 10 + j)
  print(cells)
""")


@rule(ast.For, priority=90, example=EXAMPLE)
def guard_break(loop: ast.For, ctx: Context) -> list[Edit]:
    """Once this test is true it stays true: leave the loop instead of counting on.

    Loops over range() that count up, without else; only sums of whole numbers before and in the test; nothing else
    changes what the test reads; the counter is not read after the loop.
    """
    program = ctx.program
    if not isinstance(loop.target, ast.Name) or loop.orelse or program.range_bounds(loop.iter) is None:
        return []
    slopes = {loop.target.id: 1}
    sums: list[ast.expr] = []
    outside: set[str] = set()
    for statement in loop.body:
        match statement:
            case ast.Assign([ast.Name(name)], value) if name not in slopes and is_sum(value):
                sums.append(value)
                outside |= names_in([value]) - slopes.keys()
                slopes[name] = _slope(value, slopes)
            case ast.If(ast.Compare(left, [sign], [right]), [ast.Continue() as leave], []):
                sums += [left, right]
                outside |= names_in([left, right]) - slopes.keys()
                slope = _slope(left, slopes) - _slope(right, slopes)
                stays = (slope > 0 and isinstance(sign, GREATER)) or (slope < 0 and isinstance(sign, LESS))
                known = is_sum(left) and is_sum(right) and program.types.is_int(*sums)
                fits = stays and known and _keeps(program, loop, slopes, outside)
                return [program.replace(leave, "break")] if fits else []
            case _:
                return []
    return []


def _slope(node: ast.expr, slopes: dict[str, int]) -> int:
    """Growth of a sum when the counter grows by one; None when it is not known."""
    match node:
        case ast.Name(name):
            return slopes.get(name, 0)
        case ast.BinOp(left, operator, right):
            other = _slope(right, slopes)
            return _slope(left, slopes) + (other if isinstance(operator, ast.Add) else -other)
    return 0


def _keeps(program: AnalyzedProgram, loop: ast.For, slopes: dict[str, int], outside: set[str]) -> bool:
    """Whether the loop changes none of the names from outside, and binds its own once a round, for itself."""
    stored = program.effects.of(*loop.body)
    scope = program.scopes.scope[loop]
    if stored.unknown or any(program.scopes.owner(name, scope) in stored.stored for name in outside):
        return False
    own = [Variable(scope, name) for name in slopes]
    once = all(sum(program.holds(loop, u.node) for u in program.scopes.stores(v)) == 1 for v in own)
    return once and not any(program.liveness.read_elsewhere(loop, name) for name in slopes)
