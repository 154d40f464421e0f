"""`[0 for _ in range(n)]` to `[0] * n`."""

from __future__ import annotations

import ast

from codeopt.rules import SIGNED, Context, Edits, Example, rule, spans_lines

EXAMPLE = Example(
    before="table = [[0 for _ in range(4)] for i in range(3)]\nprint(table)\n",
    after="table = [[0] * 4 for i in range(3)]\nprint(table)\n",
)


@rule(ast.ListComp, example=EXAMPLE)
def repeated_list(node: ast.ListComp, ctx: Context) -> Edits:
    """A list of the same constant needs no loop: multiply a list of one.

    Constants only, over a range of one bound that is a whole number for certain.
    """
    program = ctx.program
    match node:
        case ast.ListComp(ast.Constant() as value, [ast.comprehension(ast.Name(), ast.Call(args=[count]) as call, [])]):
            if program.calls_builtin(call, "range") and program.types.is_int(count) and not spans_lines(node):
                yield program.put(node, f"[{program.source(value)}] * {program.grouped(count, SIGNED)}")
