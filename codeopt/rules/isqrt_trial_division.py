"""Looking for a divisor of n: none above the square root is the smallest."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._insert import from_import
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import names_in
from codeopt.rules._types import Types, types_of


def rewrite(text: str, hot: Hot) -> str | None:
    """Stop the range of candidate divisors at the square root where only the existence of a divisor matters."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in module.walk():
        if isinstance(node, ast.For | ast.GeneratorExp) and hot.touches(node.lineno, last_line(node)):
            stop = _searched(module, types, node)
            if stop is not None:
                number, old = stop
                edits.append(module.replace(old, f"isqrt(max({module.source(number)}, 1)) + 1"))
    imported = from_import(module, "math", "isqrt") if edits else None
    return module.edited([*imported, *edits]) if imported is not None else None


def _searched(module: Module, types: Types, node: ast.For | ast.GeneratorExp) -> tuple[ast.Name, ast.expr] | None:
    """The number whose divisor is looked for, and the end of the range."""
    match node:
        case ast.For(ast.Name(divisor), source, [ast.If(test, body, [])]) if _stops(body, divisor):
            if _used_outside(module, node, divisor):
                return None
            return _range(module, types, source, test, divisor)
        case ast.GeneratorExp(test, [ast.comprehension(ast.Name(divisor), source, [])]):
            call = module.scopes.parent[node]
            if isinstance(call, ast.Call) and module.scopes.is_builtin(call.func, "any", "all") and len(call.args) == 1:
                wanted = ast.NotEq if module.scopes.is_builtin(call.func, "all") else ast.Eq
                return _range(module, types, source, test, divisor, wanted)
    return None


def _range(
    module: Module,
    types: Types,
    source: ast.expr,
    test: ast.expr,
    divisor: str,
    wanted: type[ast.cmpop] = ast.Eq,
) -> tuple[ast.Name, ast.expr] | None:
    match source, _divided(test, divisor, wanted):
        case ast.Call(func, [ast.Constant(2), stop], []), ast.Name(number) as name if number != divisor:
            whole = module.scopes.is_builtin(func, "range") and types.is_int(name)
            scopes = module.scopes
            means_max = scopes.owner("max", scopes.scope[source]).scope is None and not scopes.star_hides("max")
            if whole and means_max and ast.unparse(stop) in (number, f"{number} // 2 + 1"):
                return name, stop
    return None


def _divided(test: ast.expr, divisor: str, wanted: type[ast.cmpop]) -> ast.Name | None:
    """n in `n % divisor == 0` (or `!= 0`, or `not n % divisor`)."""
    match test:
        case ast.Compare(ast.BinOp(ast.Name() as number, ast.Mod(), ast.Name(right)), [sign], [ast.Constant(0)]):
            return number if right == divisor and isinstance(sign, wanted) else None
        case ast.UnaryOp(ast.Not(), ast.BinOp(ast.Name() as number, ast.Mod(), ast.Name(right))):
            return number if right == divisor and wanted is ast.Eq else None
    return None


def _stops(body: list[ast.stmt], divisor: str) -> bool:
    """The first divisor ends the search, whichever it is: constants are set, then break or return."""
    *settings, end = body
    constants = all(
        isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant) and isinstance(s.targets[0], ast.Name)
        for s in settings
    )
    leaves = isinstance(end, ast.Break) or (isinstance(end, ast.Return) and isinstance(end.value, ast.Constant | None))
    return constants and leaves and divisor not in names_in(settings)


def _used_outside(module: Module, loop: ast.For, divisor: str) -> bool:
    inside = {node for part in [loop.target, *loop.body] for node in module.walk(part)}  # the else sees the last one
    variable = module.scopes.owner(divisor, module.scopes.scope[loop])
    return any(use.node not in inside and use.kind == "load" for use in module.scopes.all_uses(variable))


RULE = Rule(
    name="isqrt_trial_division",
    reason="A number without a divisor up to its square root has none: stop looking there.",
    before="""\
def is_prime(n):
    if n < 2:
        return False
    for i in range(2, n):
        if n % i == 0:
            return False
    return True


print([n for n in range(30) if is_prime(n)])
""",
    after="""\
from math import isqrt


def is_prime(n):
    if n < 2:
        return False
    for i in range(2, isqrt(max(n, 1)) + 1):
        if n % i == 0:
            return False
    return True


print([n for n in range(30) if is_prime(n)])
""",
    limits=(
        "Loops and any/all over range(2, n) or range(2, n // 2 + 1), n a whole number, that only ask whether some "
        "divisor exists: the first one found ends the search and is not used. Refused when max is rebound."
    ),
    rewrite=rewrite,
)
