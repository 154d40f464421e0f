"""`while i < n: ...; i += 1` to `for i in range(i, n)`: the counting is done in C."""

from __future__ import annotations

import ast
import re

from codeopt.rules import Hot, Rule
from codeopt.rules._after import comes_back, read_after
from codeopt.rules._effects import effects_of
from codeopt.rules._hot import hot_nodes
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._plain import block_of, names_in, rebound
from codeopt.rules._types import Types, types_of

UP, DOWN = ("<", "<="), (">", ">=")
SIGNS = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Call, ast.expr_context)
"""What a bound may be made of; the only call is len."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Turn counting loops round, the innermost and the outer ones."""
    module = parse(text)
    if module is None or rebound(module, "range"):
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in hot_nodes(module, hot, ast.While):
        edits += _edits(module, types, node)
    return module.edited(edits)


def _edits(module: Module, types: Types, loop: ast.While) -> list[Edit]:
    head = _head(module, loop)
    if head is None or loop.orelse or len(loop.body) < 2 or not module.alone(loop.body[-1]) or not module.alone(loop):
        return []
    counter, sign, bound = head
    step = _step(module, loop.body[-1], counter.id)
    if step is None or (sign in UP) == step.startswith("-") or not _counts_alone(module, types, loop, counter):
        return []
    added = _added(loop.body[-1])
    if not all(_stays(module, types, loop, part) for part in (bound, added)) or read_after(module, loop, counter.id):
        return []
    stop = _moved(module, bound, {"<=": 1, ">=": -1}.get(sign, 0))
    start, removed = _start(module, types, loop, counter)
    colon = _colon(module, loop)
    if stop is None or colon is None or (not removed and comes_back(module, loop, counter.id)):
        return []
    counted = stop if (start, step) == ("0", "1") else f"{start}, {stop}" if step == "1" else f"{start}, {stop}, {step}"
    line = f"for {counter.id} in range({counted})"
    return [*removed, Edit(module.span(loop)[0], colon, line), _without(module, loop.body[-1])]


def _head(module: Module, loop: ast.While) -> tuple[ast.Name, str, ast.expr] | None:
    """The counter, the sign and the bound of `while i < n`, or of `while n > i`."""
    match loop.test:
        case ast.Compare(left, [operator], [right]) if type(operator) in SIGNS:
            sign = SIGNS[type(operator)]
            for name, other, turned in ((left, right, sign), (right, left, TURNED[sign])):
                own = isinstance(name, ast.Name) and module.scopes.variable(name).scope is module.scopes.scope[loop]
                if own and isinstance(name, ast.Name) and _step(module, loop.body[-1], name.id) is not None:
                    return name, turned, other
    return None


def _step(module: Module, last: ast.stmt, name: str) -> str | None:
    """What `i += 1` or `i = i + 1` adds: the source of a positive number, with a minus when it is taken away."""
    match last:
        case ast.AugAssign(ast.Name(target), ast.Add() | ast.Sub() as operator, value) if target == name:
            pass
        case ast.Assign([ast.Name(target)], ast.BinOp(ast.Name(source), ast.Add() | ast.Sub() as operator, value)) if (
            target == source == name
        ):
            pass
        case _:
            return None
    if not _is_positive(module, value):
        return None
    return ("" if isinstance(operator, ast.Add) else "-") + module.source(value)


def _added(last: ast.stmt) -> ast.expr:
    assert isinstance(last, ast.AugAssign | ast.Assign)
    value = last.value
    return value.right if isinstance(last, ast.Assign) and isinstance(value, ast.BinOp) else value


def _is_positive(module: Module, node: ast.expr) -> bool:
    """A number above zero, or a name that is only ever bound to such, counted up from it or by a range from it."""
    match node:
        case ast.Constant(int(value)):
            return value > 0 and not isinstance(value, bool)
        case ast.Name():
            stores = module.scopes.stores(module.scopes.variable(node))
            return bool(stores) and all(_binds_positive(module, use.node) for use in stores)
    return False


def _binds_positive(module: Module, store: ast.AST) -> bool:
    match module.scopes.parent[store]:
        case ast.Assign([target], ast.Constant(int(value))) if target is store:
            return value > 0 and not isinstance(value, bool)
        case ast.AugAssign(target, ast.Add() | ast.Mult(), ast.Constant(int(value))) if target is store:
            return value > 0
        case ast.For(target, ast.Call(func, [ast.Constant(int(first)), _], [])) if target is store:
            return first > 0 and module.scopes.is_builtin(func, "range")
    return False


def _counts_alone(module: Module, types: Types, loop: ast.While, counter: ast.Name) -> bool:
    """The last statement alone changes the counter, an int, and nothing jumps over it."""
    inside, last = set(module.walk(loop)), set(module.walk(loop.body[-1]))
    stores = [use.node for use in module.scopes.stores(module.scopes.variable(counter)) if use.node in inside]
    return types.of(counter) == {"int"} and all(s in last for s in stores) and not _continues(loop.body)


def _continues(body: list[ast.stmt]) -> bool:
    """A `continue` of this loop itself."""
    for statement in body:
        if isinstance(statement, ast.Continue):
            return True
        if isinstance(statement, ast.For | ast.While):
            if _continues(statement.orelse):
                return True
        elif isinstance(statement, ast.If | ast.With):
            if _continues([*statement.body, *getattr(statement, "orelse", [])]):
                return True
        elif any(isinstance(part, ast.Continue) for part in ast.walk(statement)):
            return True
    return False


def _stays(module: Module, types: Types, loop: ast.While, bound: ast.expr) -> bool:
    """The bound is an int, and the same in every round."""
    parts = list(module.walk(bound))
    calls = [part for part in parts if isinstance(part, ast.Call)]
    lengths = all(module.scopes.is_builtin(c.func, "len") and len(c.args) == 1 and not c.keywords for c in calls)
    if not lengths or not all(isinstance(part, SIMPLE) for part in parts) or not types.is_int(bound):
        return False
    return effects_of(module, types, loop.body).keeps(module, types, bound)


def _moved(module: Module, bound: ast.expr, by: int) -> str | None:
    """The bound plus or minus one, without `n - 1 + 1`."""
    if bound.lineno != last_line(bound):
        return None
    match bound:
        case ast.Constant(int(value)):
            return str(value + by)
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, ast.Constant(1)) if by:
            if isinstance(operator, ast.Sub) == (by > 0):
                return module.source(left)
    return module.source(bound) + {0: "", 1: " + 1", -1: " - 1"}[by]


def _start(module: Module, types: Types, loop: ast.While, counter: ast.Name) -> tuple[str, list[Edit]]:
    """Where counting starts: what a statement above gives the counter, which then is not needed, or its value."""
    block = block_of(module, loop)
    above = block[: block.index(loop)]
    for distance, statement in enumerate(reversed(above)):
        match statement:
            case ast.Assign([ast.Name(name)], value) if name == counter.id:
                plain = isinstance(value, ast.Constant) or not distance
                if plain and types.is_int(value) and value.lineno == last_line(value) and _bare(module, statement):
                    return module.source(value), [_without(module, statement)]
                break
            case ast.Assign() if counter.id not in names_in([statement]):
                continue
        break
    return counter.id, []


def _bare(module: Module, statement: ast.stmt) -> bool:
    """Alone on its line, without a comment."""
    return module.alone(statement) and not module.text[module.span(statement)[1] :].partition("\n")[0].strip()


def _without(module: Module, statement: ast.stmt) -> Edit:
    """The edit that takes away the lines of a statement."""
    start = module.offset(statement.lineno, 0)
    end = module.text.find("\n", module.span(statement)[1])
    return Edit(start, end + 1 if end >= 0 else len(module.text), "")


def _colon(module: Module, loop: ast.While) -> int | None:
    """Where the colon after the test is."""
    end = module.span(loop.test)[1]
    found = re.match(r"[ \t)]*:", module.text[end:])
    return end + found.end() - 1 if found else None


RULE = Rule(
    name="while_to_range",
    reason="A counter that Python adds to and compares in each round costs as much as the work: let range() count.",
    before="""\
n = int("9")
i = 0
total = 0
while i < n:
    j = i
    while j >= 0:
        total += i * j
        j -= 2  # downwards
    i += 1
print(total)
""",
    after="""\
n = int("9")
total = 0
for i in range(n):
    for j in range(i, -1, -2):
        total += i * j
print(total)
""",
    limits=(
        "Loops whose last statement alone adds a positive number to the counter, an int, without `continue`, whose "
        "bound is an int that the loop cannot change; the counter is not read after the loop before it is bound "
        "again, and no function shares it."
    ),
    rewrite=rewrite,
)
