"""`if i > limit: continue` at the start of a counting loop to `break`: all later rounds would do the same."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import effects_of
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import names_in
from codeopt.rules._scopes import Variable
from codeopt.rules._types import Types, types_of

GREATER = ast.Gt | ast.GtE
LESS = ast.Lt | ast.LtE


def rewrite(text: str, hot: Hot) -> str | None:
    """Leave the loop where the test, once true, stays true."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits = [edit for loop in hot_nodes(module, hot, ast.For) for edit in _edits(module, types, loop)]
    return module.edited(edits)


def _edits(module: Module, types: Types, loop: ast.For) -> list[Edit]:
    if not isinstance(loop.target, ast.Name) or loop.orelse or not _counts_up(module, loop.iter):
        return []
    values: dict[str, ast.expr] = {}
    for statement in loop.body:
        match statement:
            case ast.Assign([ast.Name(name)], value) if types.is_int(value) and _is_sum(value):
                values[name] = value
            case ast.If(ast.Compare(left, [sign], [right]), [ast.Continue() as leave], []):
                sums = _is_sum(left) and _is_sum(right) and types.is_int(left, right)
                if sums and _stays_true(module, types, loop, values, left, sign, right):
                    return [module.replace(leave, "break")]
                return []
            case _:
                return []
    return []


def _counts_up(module: Module, iterator: ast.expr) -> bool:
    match iterator:
        case ast.Call(func, [_] | [_, _], []):
            return module.scopes.is_builtin(func, "range")
    return False


def _is_sum(node: ast.expr) -> bool:
    """Names and numbers, added and subtracted: no effects, and it grows or falls with each of its names."""
    kinds = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)
    return all(isinstance(part, kinds) for part in ast.walk(node))


def _stays_true(
    module: Module,
    types: Types,
    loop: ast.For,
    values: dict[str, ast.expr],
    left: ast.expr,
    sign: ast.cmpop,
    right: ast.expr,
) -> bool:
    """The test only depends on the counter and on what the loop does not change, and the counter drives it one way."""
    assert isinstance(loop.target, ast.Name)
    counter = loop.target.id
    slope = _slope(left, counter, values) - _slope(right, counter, values)
    if not (slope > 0 and isinstance(sign, GREATER)) and not (slope < 0 and isinstance(sign, LESS)):
        return False
    stored = effects_of(module, types, loop.body)
    involved = names_in([left, right, *values.values()]) - {counter} - values.keys()
    scope = module.scopes.scope[loop]
    if stored.unknown or any(module.scopes.owner(name, scope) in stored.stored for name in involved):
        return False
    own = [Variable(scope, name) for name in [counter, *values]]
    once = all(sum(u.node in ast.walk(loop) for u in module.scopes.stores(v)) == 1 for v in own)
    return once and all(_not_read_after(module, loop, variable) for variable in own)


def _slope(node: ast.expr, counter: str, values: dict[str, ast.expr]) -> int:
    """By how much a sum grows when the counter grows by one."""
    match node:
        case ast.Name(name):
            return 1 if name == counter else _slope(values[name], counter, values) if name in values else 0
        case ast.BinOp(left, operator, right):
            other = _slope(right, counter, values)
            return _slope(left, counter, values) + (other if isinstance(operator, ast.Add) else -other)
    return 0


def _not_read_after(module: Module, loop: ast.For, variable: Variable) -> bool:
    """Every use outside of the loop is in another loop that binds the variable itself."""
    inside = set(ast.walk(loop))
    for use in module.scopes.all_uses(variable):
        if use.kind != "load" or use.node in inside:
            continue
        around = [p for p in module.scopes.parents(use.node) if isinstance(p, ast.For) and loop not in ast.walk(p)]
        if not any(variable.name in names_in([other.target]) for other in around) or use.scope is not variable.scope:
            return False
    return True


RULE = Rule(
    name="guard_break",
    reason="Once this test is true it stays true: leave the loop instead of counting on.",
    before="""\
n = 6
cells = []
for width in range(1, n):
    for i in range(n):
        j = i + width
        if j > n:
            continue  # outside
        cells.append(i * 10 + j)
print(cells)
""",
    after="""\
n = 6
cells = []
for width in range(1, n):
    for i in range(n):
        j = i + width
        if j > n:
            break  # outside
        cells.append(i * 10 + j)
print(cells)
""",
    limits=(
        "Loops over range() that count up, without else; only sums of whole numbers before and in the test; nothing "
        "else changes what the test reads; the counter is not read after the loop."
    ),
    rewrite=rewrite,
)
