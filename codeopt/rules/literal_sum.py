"""sum([a, b, c]) to a + b + c: no list, no call."""

from __future__ import annotations

import ast

from codeopt.rules import SUM_OF, Context, Edits, as_diff, rule, spans_lines

EXAMPLE = as_diff("""\
  count = 0
  for a in range(9):
      for b in range(a, 9):
-         if sum([a, b, 1]) == 9 and max([a, b]) < 7:
+         if a + b + 1 == 9 and max(a, b) < 7:
              count += 1
  print(count)
""")


@rule(ast.Call, example=EXAMPLE, where="hot loop", priority=130)
def literal_sum(node: ast.Call, ctx: Context) -> Edits:
    """sum(), min() and max() of a list that is written down build the list first: use the values directly.

    sum() only of values that are whole numbers for certain (floats add differently); no starred elements.
    """
    program = ctx.program
    match node:
        case ast.Call(args=[ast.List(elts) | ast.Tuple(elts) as display]) if len(elts) > 1 and not spans_lines(node):
            if any(isinstance(part, ast.Starred) for part in elts):
                return
            if program.calls_builtin(node, "sum") and program.types.is_int(*elts):
                parts = (program.grouped(part, SUM_OF + bool(place)) for place, part in enumerate(elts))
                yield program.put(node, " + ".join(parts))
            elif program.calls_builtin(node, "min", "max"):
                yield program.replace(display, ", ".join(program.source(part) for part in elts))
