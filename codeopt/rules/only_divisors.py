"""`for i in range(1, n + 1): if n % i == 0: ...`: find the divisors below the square root, and their partners."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._after import read_after
from codeopt.rules._bounds import constant
from codeopt.rules._effects import effects_of
from codeopt.rules._hoist import unused_name, used_up
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import function_below, plain_import
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import names_in, rebound
from codeopt.rules._types import Types, types_of

HELPER = (
    "def {name}(n, start, stop):",
    '{indent}"""The numbers of range(start, stop) that divide n, in order."""',
    "{indent}if n == 0:",
    "{indent}{indent}yield from range(start, stop)",
    "{indent}n = abs(n)",
    "{indent}root = math.isqrt(n)",
    "{indent}for i in range(start, min(root + 1, stop)):",
    "{indent}{indent}if n % i == 0:",
    "{indent}{indent}{indent}yield i",
    "{indent}for i in range(root, 0, -1):",
    "{indent}{indent}if n % i == 0 and max(root + 1, start) <= n // i < stop:",
    "{indent}{indent}{indent}yield n // i",
)
PARTS = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def rewrite(text: str, hot: Hot) -> str | None:
    """Go through the divisors only; the test of the loop stays where it is."""
    module = parse(text)
    if module is None or "%" not in text or any(rebound(module, name) for name in ("abs", "min", "max", "range")):
        return None
    types = types_of(module)
    loops = (loop for loop in hot_nodes(module, hot, ast.For) if _fits_loop(module, types, loop))
    whole = [loop.iter for loop in loops]
    kinds = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
    comprehensions = (node for kind in kinds for node in hot_nodes(module, hot, kind) if isinstance(node, kinds))
    whole += [c.generators[0].iter for c in comprehensions if _fits_comprehension(module, types, c)]
    imported = plain_import(module, "math") if whole else None
    if imported is None:
        return None
    name = unused_name(module, set(), "divisors", "divisors_of")
    lines = [line.format(name=name, indent=module.indent) for line in HELPER]
    edits = [_replaced(module, source, name) for source in whole]
    return module.edited([*function_below(module, imported, lines), *edits])


def _replaced(module: Module, source: ast.expr, name: str) -> Edit:
    match source:
        case ast.Call(args=[start, stop]):
            number = next(part for part in module.walk(stop) if isinstance(part, ast.Name))
            return module.replace(source, f"{name}({number.id}, {module.source(start)}, {module.source(stop)})")
    raise AssertionError(ast.dump(source))


def _fits_loop(module: Module, types: Types, loop: ast.For) -> bool:
    match loop.target, loop.body:
        case ast.Name(counter), [ast.If(test, _, [])] if _asks(test, loop.iter, counter, divides=True):
            pass
        case ast.Name(counter), [ast.If(test, [ast.Continue()], []), *_] if _asks(
            test, loop.iter, counter, divides=False
        ):
            pass
        case _:
            return False
    if counter in names_in(loop.orelse) or read_after(module, loop, counter):
        return False
    return _stays(module, types, loop, loop.iter)


def _fits_comprehension(
    module: Module, types: Types, node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
) -> bool:
    match node.generators[0]:
        case ast.comprehension(ast.Name(counter), source, [test, *_], 0) if _asks(test, source, counter, divides=True):
            at_once = not isinstance(node, ast.GeneratorExp) or used_up(module, node)
            return at_once and _stays(module, types, node, source)
    return False


def _asks(test: ast.expr, source: ast.expr, counter: str, *, divides: bool) -> bool:
    """The test is, or starts with, `n % i == 0` (or the opposite) for the n of the range."""
    match test:
        case ast.BoolOp(ast.And(), [first, *_]) if divides:
            return _asks(first, source, counter, divides=True)
        case ast.UnaryOp(ast.Not(), ast.BinOp() as rest) if divides:
            pass
        case ast.Compare(ast.BinOp() as rest, [sign], [ast.Constant(0)]):
            if not isinstance(sign, ast.Eq if divides else ast.NotEq):
                return False
        case ast.BinOp() as rest if not divides:
            pass
        case _:
            return False
    match rest, source:
        case ast.BinOp(ast.Name(number), ast.Mod(), ast.Name(by)), ast.Call(_, [_, stop], []):
            return by == counter and number != counter and names_in([stop]) == {number}
    return False


def _stays(module: Module, types: Types, root: ast.AST, source: ast.expr) -> bool:
    """A range from one or more to a sum or part of n, which is a whole number that `root` does not change."""
    match source:
        case ast.Call(func, [start, stop], []) if module.scopes.is_builtin(func, "range"):
            numbers = [part for part in module.walk(stop) if isinstance(part, ast.Name)]
            first = constant(module, start)
            plain = all(isinstance(part, PARTS) for part in module.walk(stop))
            if not plain or first is None or first < 1 or not types.is_int(stop, *numbers):
                return False
            return all(effects_of(module, types, [root]).keeps(module, types, number) for number in numbers)
    return False


RULE = Rule(
    name="only_divisors",
    reason="Divisors come in pairs around the square root: find them there, not among all numbers.",
    before="""\
import math


def divisor_sum(n):
    total = 0
    for i in range(1, n):
        if n % i == 0:
            total += i
    return total


print([n for n in range(2, 500) if divisor_sum(n) == n], math.pi)
""",
    after="""\
import math


def divisors(n, start, stop):
    \"\"\"The numbers of range(start, stop) that divide n, in order.\"\"\"
    if n == 0:
        yield from range(start, stop)
    n = abs(n)
    root = math.isqrt(n)
    for i in range(start, min(root + 1, stop)):
        if n % i == 0:
            yield i
    for i in range(root, 0, -1):
        if n % i == 0 and max(root + 1, start) <= n // i < stop:
            yield n // i


def divisor_sum(n):
    total = 0
    for i in divisors(n, 1, n):
        if n % i == 0:
            total += i
    return total


print([n for n in range(2, 500) if divisor_sum(n) == n], math.pi)
""",
    limits=(
        "Loops and comprehensions over range(start, stop) that do nothing for a number which does not divide n, with a "
        "start above zero and a stop made of n and numbers; n is a whole number that they do not change, and the "
        "loop's variable is not read after it."
    ),
    rewrite=rewrite,
)
