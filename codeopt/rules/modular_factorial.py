"""factorial(n) % m without the huge number."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._insert import below_imports
from codeopt.rules._module import Edit, parse
from codeopt.rules._types import types_of

HELPER = """\
def {name}(n, modulus):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1 % modulus
    for factor in range(2, n + 1):
        result = result * factor % modulus
    return result"""


def rewrite(text: str, hot: Hot) -> str | None:
    """Call a function that multiplies and reduces in turn."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    name = module.fresh("factorial_mod", "modular_factorial")
    edits: list[Edit] = []
    for node in module.walk():
        match node:
            case ast.BinOp(ast.Call(func, [argument], []), ast.Mod(), modulus) if hot.touches(node.lineno, node.lineno):
                whole = types.is_int(argument, modulus)
                if whole and types.of(func) == {"@math.factorial"} and not isinstance(argument, ast.Starred):
                    arguments = f"{module.source(argument)}, {module.source(modulus)}"
                    edits.append(module.replace(node, f"{name}({arguments})"))
    if not edits:
        return None
    indent = module.indent
    lines = [line.replace("    ", indent) for line in HELPER.format(name=name).split("\n")]
    return module.edited([below_imports(module, ["", *lines]), *edits])


RULE = Rule(
    name="modular_factorial",
    reason="n! has millions of digits: reduce modulo m after every multiplication instead of once at the end.",
    before="""\
from math import factorial

mod = 10**9 + 7
n = int("20")
print(factorial(n) % mod)
""",
    after="""\
from math import factorial


def factorial_mod(n, modulus):
    if n < 0:
        raise ValueError("factorial() not defined for negative values")
    result = 1 % modulus
    for factor in range(2, n + 1):
        result = result * factor % modulus
    return result


mod = 10**9 + 7
n = int("20")
print(factorial_mod(n, mod))
""",
    limits="Only math.factorial of a whole number, directly reduced modulo a whole number. Slower for small n.",
    rewrite=rewrite,
)
