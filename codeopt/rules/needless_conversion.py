"""`int(n % 10)` to `n % 10`: what is a whole number already needs no conversion."""

from __future__ import annotations

import ast

from codeopt.rules import FLOAT, INT, STR, Context, Edits, as_diff, rule, spans_lines

RESULTS = {"int": INT, "str": STR, "float": FLOAT}
"""Exact type of the result by builtin; a bool does not count as an int, since int(True) is 1."""

EXAMPLE = as_diff("""\
  total = 0
  for n in range(100):
-     digit = int(n % 10)
-     total += int(digit * 2) // 3
+     digit = n % 10
+     total += digit * 2 // 3
  print(total)
""")


@rule(ast.Call, example=EXAMPLE, where="hot loop")
def needless_conversion(node: ast.Call, ctx: Context) -> Edits:
    """int() of a whole number gives that number: leave the call out.

    int, float and str of what has exactly that type whenever it is reached; for these the builtins give back their
    argument itself. Refused where the call goes over several lines or stands in an f-string.
    """
    program = ctx.program
    match node:
        case ast.Call(ast.Name(wanted), [value]) if program.calls_builtin(node, *RESULTS) and not spans_lines(node):
            exact = program.types.of(value) == RESULTS[wanted]
            if exact and not program.in_f_string(node) and not ctx.is_replaced(node):
                yield program.put(node, program.source(value))
