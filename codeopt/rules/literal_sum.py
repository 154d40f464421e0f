"""sum([a, b, c]) to a + b + c: no list, no call."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import AnalyzedProgram, Context, Edit, as_diff, rule, spans_lines

TIGHT = ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute
ADDED = (ast.Add, ast.Sub)
PRODUCTS = (ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)


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
def literal_sum(node: ast.Call, ctx: Context) -> Iterator[Edit]:
    """sum(), min() and max() of a list that is written down build the list first: use the values directly.

    sum() only of values that are whole numbers for certain (floats add differently); no starred elements.
    """
    program = ctx.program
    match node:
        case ast.Call(args=[ast.List(elts) | ast.Tuple(elts) as display]) if len(elts) > 1 and not spans_lines(node):
            if any(isinstance(part, ast.Starred) for part in elts):
                return
            if program.calls_builtin(node, "sum") and program.types.is_int(*elts):
                yield program.replace(node, _added(program, node, elts))
            elif program.calls_builtin(node, "min", "max"):
                yield program.replace(display, ", ".join(program.source(part) for part in elts))


def _added(program: AnalyzedProgram, node: ast.Call, elements: list[ast.expr]) -> str:
    text = " + ".join(_operand(program, part, first=not i) for i, part in enumerate(elements))
    parent = program.scopes.parent[node]
    alone = isinstance(parent, ast.Assign | ast.AugAssign | ast.Return | ast.Call | ast.Compare | ast.If | ast.While)
    return text if alone else f"({text})"


def _operand(program: AnalyzedProgram, node: ast.expr, first: bool) -> str:
    """An element as a summand: sums may stand first, products anywhere, the rest in parentheses."""
    source = program.source(node)
    if isinstance(node, TIGHT) or (isinstance(node, ast.BinOp) and isinstance(node.op, PRODUCTS)):
        return source
    if first and isinstance(node, ast.BinOp) and isinstance(node.op, ADDED):
        return source
    return f"({source})"
