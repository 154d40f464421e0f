"""factorial(n) % m without the huge number."""

from __future__ import annotations

import ast

from codeopt.rules import Context, Edits, as_diff, rule

HELPER = """\
def {name}(n, modulus):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1 % modulus
    for factor in range(2, n + 1):
        result = result * factor % modulus
    return result"""


EXAMPLE = as_diff(
    """\
  from math import factorial
+
+
+ ...
+

  mod = 10**9 + 7
  n = int("20")
- print(factorial(n) % mod)
+ print(factorial_mod(n, mod))
""",
    HELPER.format(name="factorial_mod"),
)


@rule(ast.BinOp, priority=70, example=EXAMPLE)
def modular_factorial(node: ast.BinOp, ctx: Context) -> Edits:
    """n! has millions of digits: reduce modulo m after every multiplication instead of once at the end.

    Only math.factorial of a whole number, directly reduced modulo a whole number. Slower for small n.
    """
    program = ctx.program
    match node:
        case ast.BinOp(ast.Call(func, [argument], []), ast.Mod(), modulus) if program.types.is_int(argument, modulus):
            if program.types.of(func) == {"@math.factorial"} and not isinstance(argument, ast.Starred):
                name = ctx.define(HELPER, "factorial_mod", "modular_factorial")
                yield program.replace(node, f"{name}({program.source(argument)}, {program.source(modulus)})")
