"""`x ** 2` to `x * x`."""

from __future__ import annotations

import ast

from codeopt.rules import Context, Edits, Example, is_simple, rule, spans_lines

EXAMPLE = Example(
    before="for x in range(9):\n    print(x**2 % 7, 1 + (x + 1) ** 2)\n",
    after="for x in range(9):\n    print(x * x % 7, 1 + (x + 1) * (x + 1))\n",
)


@rule(ast.BinOp, example=EXAMPLE, where="hot loop")
def square(node: ast.BinOp, ctx: Context) -> Edits:
    """x * x is one multiplication; x ** 2 goes through the general power function.

    Of a name or one operation on names and numbers, which are whole numbers for certain: of floats the two may differ
    in the last digit.
    """
    program = ctx.program
    match node:
        case ast.BinOp(value, ast.Pow(), ast.Constant(2)) if not spans_lines(node) and not ctx.is_replaced(node):
            if program.purity.is_cheap(value) and program.types.is_int(value, node):
                text = program.source(value) if is_simple(value) else f"({program.source(value)})"
                yield program.put(node, f"{text} * {text}")
