"""`grid[i][j]` in a loop over j: look up the row once."""

from __future__ import annotations

import ast
import re

from codeopt.rules import AnalyzedProgram, Context, Edits, Loop, as_diff, is_sum, rule, spans_lines

EXAMPLE = as_diff("""\
  def paths(n):
      grid = [[1] * n for _ in range(n)]
      for i in range(1, n):
+         grid_i = grid[i]
+         grid_i_1 = grid[i - 1]
          for j in range(1, n):
-             grid[i][j] = grid[i - 1][j] + grid[i][j - 1]
+             grid_i[j] = grid_i_1[j] + grid_i[j - 1]
      return grid[n - 1][n - 1]


  print(paths(5))
""")


@rule(ast.Subscript, priority=120, example=EXAMPLE)
def row_hoist(node: ast.Subscript, ctx: Context) -> Edits:
    """The row is the same in every round of the inner loop: look it up once, before the loop.

    A list of rows bound to a name once, with a length that the text shows (a comprehension or loop over range(n),
    [...] * n), which nothing shrinks; an index counted by a range around the loop that shows to stay within it;
    nothing in the loop replaces a row.
    """
    loop = _outermost(ctx.program, node) if _is_row(ctx.program, node) else None
    if loop is not None:
        source = ctx.program.source(node)
        stem = "_".join(re.findall(r"\w+", source))  # grid[i] becomes grid_i, grid[i + 1] grid_i_1
        name = ctx.bind_before(loop, source, stem, *(f"{stem}_row{end}" for end in ("", "_2", "_3", "_4")))
        yield ctx.program.replace(node, name)


def _is_row(program: AnalyzedProgram, node: ast.Subscript) -> bool:
    """Whether an expression is the `a[i]` of `a[i][j]`, with a sum of names and numbers for i."""
    match program.scopes.parent[node], node.value:
        case ast.Subscript(row), ast.Name() if row is node:
            return is_sum(node.slice) and not spans_lines(node)
    return False


def _outermost(program: AnalyzedProgram, node: ast.Subscript) -> Loop | None:
    """The outermost loop around in which the row stays the same and before which it exists."""
    best: Loop | None = None
    for loop in program.loops.around(node):
        if not program.alone(loop) or not program.effects.of(loop).keeps(node):
            break
        assert isinstance(node.value, ast.Name)
        if program.loops.keeps(loop, node) and program.bounds.index_is_valid(node.value, node.slice, loop):
            best = loop
    return best
