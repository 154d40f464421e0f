"""A function that computes the greatest common divisor by Euclid's algorithm: math.gcd does it in C."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.rules import INT, AnalyzedProgram, Context, Edit, Variable, as_diff, rule

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
def euclid_gcd(node: ast.FunctionDef, ctx: Context) -> Iterator[Edit]:
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
    own_name = program.scopes.owner(function.name, program.scopes.scope[function])
    if body[0].lineno == function.lineno or len(program.scopes.stores(own_name)) != 1:
        return False
    if program.scopes.declared[function]:
        return False
    return _loops(body, *names) or _recurs(body, function.name, *names)


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements below the docstring."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if documented else function.body


def _loops(body: list[ast.stmt], a: str, b: str) -> bool:
    """`while b: a, b = b, a % b`, and then `return a`."""
    match body:
        case [ast.While(test, step, []), ast.Return(ast.Name(result))]:
            return result == a and _not_zero(test, b) is True and _steps(step, a, b)
    return False


def _steps(body: list[ast.stmt], a: str, b: str) -> bool:
    """The assignments leave b in a, and a % b in b, in whatever order and with whatever names in between."""
    values: dict[str, str | None] = {a: "a", b: "b"}
    for statement in body:
        match statement:
            case ast.Assign([ast.Name(name)], value):
                values[name] = _value(value, values)
            case ast.AugAssign(ast.Name(name), ast.Mod(), value):
                values[name] = f"{values.get(name)} % {_value(value, values)}"
            case ast.Assign([ast.Tuple([ast.Name(one), ast.Name(two)])], ast.Tuple([first, second])):
                values |= {one: _value(first, values), two: _value(second, values)}
            case _:
                return False
    return values[a] == "b" and values[b] == "a % b"


def _value(node: ast.expr, values: dict[str, str | None]) -> str | None:
    """What the expression is in terms of the arguments."""
    match node:
        case ast.Name(name):
            return values.get(name)
        case ast.BinOp(ast.Name(left), ast.Mod(), ast.Name(right)):
            return f"{values.get(left)} % {values.get(right)}"
    return None


def _recurs(body: list[ast.stmt], function: str, a: str, b: str) -> bool:
    """`return a` when b is zero, else `return gcd(b, a % b)`."""
    match body:
        case [ast.Return(ast.IfExp(test, one, other))]:
            pass
        case [ast.If(test, [ast.Return(one)], []), ast.Return(other)]:
            pass
        case [ast.If(test, [ast.Return(one)], [ast.Return(other)])]:
            pass
        case _:
            return False
    match (_not_zero(test, b), one, other):
        case (True, again, ast.Name(end)) | (False, ast.Name(end), again):
            return end == a and again is not None and _calls_itself(again, function, a, b)
    return False


def _calls_itself(node: ast.expr, function: str, a: str, b: str) -> bool:
    match node:
        case ast.Call(ast.Name(called), [ast.Name(first), ast.BinOp(ast.Name(left), ast.Mod(), ast.Name(right))], []):
            return (called, first, left, right) == (function, b, a, b)
    return False


def _not_zero(test: ast.expr, b: str) -> bool | None:
    """Whether the test is true when b, which is not below zero, is not zero, or when it is; None: another test."""
    match test:
        case ast.Name(name) | ast.Compare(ast.Name(name), [ast.NotEq() | ast.Gt()], [ast.Constant(0)]) if name == b:
            return True
        case ast.UnaryOp(ast.Not(), ast.Name(name)) | ast.Compare(ast.Name(name), [ast.Eq()], [ast.Constant(0)]):
            return False if name == b else None
    return None
