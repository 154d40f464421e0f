"""A function that computes the greatest common divisor by Euclid's algorithm: math.gcd does it in C."""

from __future__ import annotations

import ast
from functools import cache

from codeopt.rules import INT, AnalyzedProgram, Context, Edits, Variable, as_diff, is_bare_constant, rule

NOT_ZERO = ("b", "b != 0", "b > 0")
ZERO = ("b == 0", "not b")
STEPS = (
    "a, b = b, a % b",
    "t = a % b; a = b; b = t",
    "t = b; b = a % b; a = t",
    "t = a; a = b; b = t % b",
    "a %= b; a, b = b, a",
)
AGAIN = "g(b, a % b)"

EXAMPLE = as_diff("""\
+ import math
+
+
  def common(a, b):
+     if b > 0:
+         return math.gcd(a, b)
      while b != 0:
          a, b = b, a % b
      return a


  print(sum(common(i, j) for i in range(9) for j in range(-4, 9)))
""")


@rule(ast.FunctionDef, example=EXAMPLE)
def euclid_gcd(node: ast.FunctionDef, ctx: Context) -> Edits:
    """math.gcd computes the greatest common divisor in C, in one call instead of many rounds.

    Functions of two whole numbers whose whole body is Euclid's algorithm, as a loop or by recursion. A second
    argument that is not above zero takes the old way, as the sign of the result may differ there. Numbers with
    hundreds of digits no longer recurse too deep.
    """
    program = ctx.program
    names = [argument.arg for argument in node.args.args]
    whole = (program.types.of_variable(Variable(node, name)) == INT for name in names)
    if _is_euclid(program, node, names) and all(whole):
        a, b = names
        ctx.import_module("math")
        yield program.before(_body(node)[0], f"if {b} > 0:", f"{program.indent}return math.gcd({a}, {b})")


def _is_euclid(program: AnalyzedProgram, function: ast.FunctionDef, names: list[str]) -> bool:
    body = _body(function)
    if len(names) != 2 or not body or function.decorator_list or not program.alone(body[0]) or "math" in names:
        return False
    if body[0].lineno == function.lineno or not program.scopes.is_bound_once(function):
        return False
    return not program.scopes.declared[function] and _shape(function, names) in _shapes()


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements below the docstring."""
    return function.body[is_bare_constant(function.body[0]) :]


def _shape(function: ast.FunctionDef, names: list[str]) -> str:
    """The body with a and b for the parameters, g for the function, t for one other name; empty with more names."""
    known = dict(zip([*names, function.name], "abg", strict=True))
    body = ast.parse("\n".join(map(ast.unparse, _body(function))))
    found = [node for node in ast.walk(body) if isinstance(node, ast.Name)]
    more = len({node.id for node in found} - known.keys()) > 1
    for node in found:
        node.id = known.get(node.id, "t")
    return "" if more else ast.dump(body)


@cache
def _shapes() -> frozenset[str]:
    """Euclid's algorithm in all the ways that people write it."""
    loops = [f"while {test}: {step}\nreturn a" for test in NOT_ZERO for step in STEPS]
    pairs = [(test, "a", AGAIN) for test in ZERO] + [(test, AGAIN, "a") for test in NOT_ZERO]
    chosen = ("return {1} if {0} else {2}", "if {0}: return {1}\nreturn {2}", "if {0}: return {1}\nelse: return {2}")
    return frozenset(ast.dump(ast.parse(s)) for s in [*loops, *(way.format(*pair) for way in chosen for pair in pairs)])
