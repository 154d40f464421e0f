"""`while len(queue) > 0` to `while queue`: a container that holds nothing is false."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import AnalyzedProgram, Context, Edits, as_diff, rule

FILLED = {(ast.Gt, 0), (ast.NotEq, 0), (ast.GtE, 1)}
EMPTY = {(ast.Eq, 0), (ast.Lt, 1), (ast.LtE, 0)}

EXAMPLE = as_diff("""\
  stack = [3]
- while len(stack) > 0:
+ while stack:
      n = stack.pop()
-     if n and len(stack) == 0:
+     if n and not stack:
          stack += [n - 1, n - 2]
      print(n)
""")


@rule(ast.If, ast.While, ast.IfExp, example=EXAMPLE)
def length_truth(node: ast.If | ast.While | ast.IfExp, ctx: Context) -> Edits:
    """len() is looked up, called and compared with a number: whether anything is in it, a container says itself.

    Tests for zero of the length of a name that is a list, tuple, dict, set, deque or text for certain.
    """
    for test in _conditions(node.test):
        found = _tested(ctx.program, test)
        if found is not None:
            name, filled = found
            yield ctx.program.replace(test, name if filled else f"not {name}")


def _conditions(test: ast.expr) -> Iterator[ast.expr]:
    """The parts of a test of which only the truth is asked."""
    if isinstance(test, ast.BoolOp):
        for part in test.values:
            yield from _conditions(part)
    elif isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and isinstance(test.operand, ast.Call):
        yield test.operand
    else:
        yield test


def _tested(program: AnalyzedProgram, test: ast.expr) -> tuple[str, bool] | None:
    """The name whose length is tested, and whether the test is true when something is in it."""
    match test:
        case ast.Compare(ast.Call() as length, [sign], [ast.Constant(int(number))]):
            kind = (type(sign), number)
        case ast.Call() as length:
            kind = (ast.Gt, 0)
        case _:
            return None
    if kind not in FILLED | EMPTY or not program.calls_builtin(length, "len"):
        return None
    match length.args:
        case [ast.Name(name) as values] if program.types.is_sized(values):
            return name, kind in FILLED
    return None
