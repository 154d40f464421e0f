"""A function that computes the greatest common divisor by Euclid's algorithm: math.gcd does it in C."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import plain_import
from codeopt.rules._module import Module, parse
from codeopt.rules._scopes import Variable
from codeopt.rules._types import types_of

SHAPES = (
    "while {b}: {a}, {b} = {b}, {a} % {b}\nreturn {a}",
    "while {b}: {t} = {b}; {b} = {a} % {b}; {a} = {t}\nreturn {a}",
    "while {b}: {t} = {a} % {b}; {a} = {b}; {b} = {t}\nreturn {a}",
    "while {b}: {t} = {a}; {a} = {b}; {b} = {t} % {b}\nreturn {a}",
    "if not {b}: return {a}\nreturn {f}({b}, {a} % {b})",
    "if not {b}: return {a}\nelse: return {f}({b}, {a} % {b})",
    "if {b}: return {f}({b}, {a} % {b})\nreturn {a}",
    "if {b}: return {f}({b}, {a} % {b})\nelse: return {a}",
    "return {f}({b}, {a} % {b}) if {b} else {a}",
    "return {a} if not {b} else {f}({b}, {a} % {b})",
)
"""Bodies of such functions, for a second argument above zero; tests are written in many ways."""


def rewrite(text: str, hot: Hot) -> str | None:
    """A first line that calls math.gcd when the second argument is above zero; the rest stays for other arguments."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits = []
    for node in hot_nodes(module, hot, ast.FunctionDef):
        names = [argument.arg for argument in node.args.args]
        kinds = [types.variables.get(Variable(node, name), set()) for name in names]
        if all(kind == {"int"} for kind in kinds) and _is_euclid(module, node, names):
            a, b = names
            first = _body(node)[0]
            edits.append(module.before(first, f"if {b} > 0:", f"{module.indent}return math.gcd({a}, {b})"))
    imported = plain_import(module, "math") if edits else None
    return module.edited([*imported, *edits]) if imported is not None else None


def _is_euclid(module: Module, function: ast.FunctionDef, names: list[str]) -> bool:
    body = _body(function)
    if len(names) != 2 or not body or function.decorator_list or not module.alone(body[0]) or "math" in names:
        return False
    if body[0].lineno == function.lineno or len(module.scopes.stores(_own_name(module, function))) != 1:
        return False
    a, b = names
    others = {v.name for v in module.scopes.uses if v.scope is function} - {a, b}
    if len(others) > 1 or any(module.scopes.declared[function].values()):
        return False
    given = {"a": a, "b": b, "t": next(iter(others), "_"), "f": function.name}
    found = _dumped([_plain_tests(statement, b) for statement in body])
    shapes = (ast.parse(f"def f():\n {shape.format(**given).replace(chr(10), chr(10) + ' ')}") for shape in SHAPES)
    return any(found == _dumped(shape.body[0].body) for shape in shapes if isinstance(shape.body[0], ast.FunctionDef))


def _own_name(module: Module, function: ast.FunctionDef) -> Variable:
    return module.scopes.owner(function.name, module.scopes.scope[function])


def _body(function: ast.FunctionDef) -> list[ast.stmt]:
    """The statements below the docstring."""
    first = function.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    return function.body[1:] if documented else function.body


def _dumped(body: list[ast.stmt]) -> list[str]:
    return [ast.dump(statement) for statement in body]


class _Tests(ast.NodeTransformer):
    """`b != 0` and `b > 0` to `b`, `b == 0` to `not b`: the same for what a remainder may be."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Compare(self, node: ast.Compare) -> ast.expr:  # noqa: N802 - the name is ast's
        match node:
            case ast.Compare(ast.Name(self.name) as name, [ast.NotEq() | ast.Gt()], [ast.Constant(0)]):
                return name
            case ast.Compare(ast.Name(self.name) as name, [ast.Eq()], [ast.Constant(0)]):
                return ast.UnaryOp(ast.Not(), name)
        return node


def _plain_tests(statement: ast.stmt, name: str) -> ast.stmt:
    copied = ast.parse(ast.unparse(ast.fix_missing_locations(ast.Module([_wrapped(statement)], [])))).body[0]
    assert isinstance(copied, ast.FunctionDef)
    changed: ast.stmt = _Tests(name).visit(copied.body[0])
    return changed


def _wrapped(statement: ast.stmt) -> ast.stmt:
    """In a function, where `return` may stand."""
    return ast.FunctionDef("f", ast.arguments([], [], None, [], [], None, []), [statement], [])


RULE = Rule(
    name="euclid_gcd",
    reason="math.gcd computes the greatest common divisor in C, in one call instead of many rounds.",
    before="""\
def common(a, b):
    while b != 0:
        a, b = b, a % b
    return a


print(sum(common(i, j) for i in range(9) for j in range(-4, 9)))
""",
    after="""\
import math


def common(a, b):
    if b > 0:
        return math.gcd(a, b)
    while b != 0:
        a, b = b, a % b
    return a


print(sum(common(i, j) for i in range(9) for j in range(-4, 9)))
""",
    limits=(
        "Functions of two whole numbers whose whole body is Euclid's algorithm, as a loop or by recursion. A second "
        "argument that is not above zero takes the old way, as the sign of the result may differ there. Numbers with "
        "hundreds of digits no longer recurse too deep."
    ),
    rewrite=rewrite,
)
