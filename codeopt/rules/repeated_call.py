"""The same call twice in a row with the same arguments: call once and keep the result."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import spans_lines
from codeopt.rules._effects import effects_of
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import in_loop
from codeopt.rules._scopes import Comprehension
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import SCALARS

PURE = frozenset({"pow", "str", "int", "float", "bin", "hex", "oct"})
PURE_MATH = frozenset(
    [
        "sqrt",
        "factorial",
        "comb",
        "perm",
        "gcd",
        "lcm",
        "log",
        "log2",
        "log10",
        "sin",
        "cos",
        "tan",
        "hypot",
        "isqrt",
        "exp",
    ]
)
"""Results that cannot change (numbers and text), and calls that cost more than storing one."""

KINDS = ("list", "tuple", "set", "deque")
OF_ELEMENTS = frozenset({"@max", "@min", "@sum"})
NAMES = {
    "str": "text",
    "int": "number",
    "float": "number",
    "max": "largest",
    "min": "smallest",
    "sum": "total",
    "index": "position",
    "count": "count",
}
"""What to call the result."""

SIMPLE = ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr
PLACES = (ast.Name, ast.Constant, ast.Subscript, ast.Attribute, ast.Call, ast.expr_context)
OPERATIONS = (*PLACES, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop)


@dataclass
class Run:
    """Occurrences of one call in statements that follow each other."""

    first: ast.stmt
    nodes: list[ast.Call] = field(default_factory=list)


def rewrite(text: str, hot: Hot) -> str | None:
    """Compute it before the first statement and use the name in all of them."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    again = _written_twice(module)
    runs = [
        run
        for block in _blocks(module)
        for run in _outermost(module, _runs(module, types, block, again))
        if any(hot.touches(node.lineno, node.lineno) for node in run.nodes)
    ]
    edits: list[Edit] = []
    taken: set[str] = set()
    for run in runs:
        name = _name(module, run.nodes[0], taken)
        edits.append(module.before(run.first, f"{name} = {module.source(run.nodes[0])}"))
        edits += [module.replace(node, name) for node in run.nodes]
    return module.edited(edits)


def _outermost(module: Module, runs: list[Run]) -> Iterator[Run]:
    """Those of two calls or more, without what stands in a call of another."""
    for run in (run for run in runs if len(run.nodes) > 1):
        others = [node for other in runs if other is not run and len(other.nodes) > 1 for node in other.nodes]
        inside = {part for node in others for part in module.walk(node) if part is not node}
        outside = [node for node in run.nodes if node not in inside]
        if len(outside) > 1:
            yield Run(run.first, outside)


def _written_twice(module: Module) -> set[ast.Call]:
    """Calls whose text stands in the program more than once."""
    calls = [(module.source(call), call) for call in module.of_kind(ast.Call) if call.args and not spans_lines(call)]
    count = Counter(text for text, _ in calls)
    return {call for text, call in calls if count[text] > 1}


def _blocks(module: Module) -> Iterator[list[ast.stmt]]:
    for node in module.walk():
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if (
                isinstance(block, list)
                and block
                and isinstance(block[0], ast.stmt)
                and not isinstance(node, ast.ClassDef)
            ):
                elif_ = name == "orelse" and len(block) == 1 and isinstance(block[0], ast.If)
                if not elif_ and in_loop(module, block[0]):
                    yield block


def _runs(module: Module, types: Types, block: list[ast.stmt], again: set[ast.Call]) -> list[Run]:
    open_: dict[str, Run] = {}
    done: list[Run] = []
    for statement in block:
        head = _head(statement)
        calls = list(_calls(module, types, head, again)) if head is not None else []
        if not calls and not open_:
            continue
        starts = module.alone(statement) and not _speaks(module, types, statement)
        for call, always in calls:
            key = ast.dump(call)
            if not _safe_inside(module, types, statement, call):
                continue
            if key not in open_ and starts and always:
                open_[key] = Run(statement)
            if key in open_:
                open_[key].nodes.append(call)
        changed = effects_of(module, types, [statement])
        for key, run in list(open_.items()):
            if not isinstance(statement, SIMPLE) or not changed.keeps(module, types, run.nodes[0]):
                done.append(open_.pop(key))
    return [*done, *open_.values()]


def _head(statement: ast.stmt) -> ast.AST | None:
    """The part of a statement that always runs first, without effects in between: all of it, or the test of an if."""
    if isinstance(statement, ast.If):
        return statement.test
    return statement if isinstance(statement, SIMPLE) else None


def _safe_inside(module: Module, types: Types, statement: ast.stmt, call: ast.Call) -> bool:
    """Nothing that runs earlier in the statement changes an argument of the call."""
    if any(isinstance(node, ast.NamedExpr) for node in module.walk(statement)):
        return False
    return effects_of(module, types, _evaluated(module, types, statement)).keeps(module, types, call)


def _evaluated(module: Module, types: Types, statement: ast.stmt) -> list[ast.expr]:
    """What runs before the effect of the statement itself: of print(...) and values.append(...), only the arguments."""
    match statement:
        case ast.If(test=test):
            return [test]
        case ast.Expr(ast.Call(func, arguments, [])) if module.scopes.is_builtin(func, "print"):
            return list(arguments)
        case ast.Expr(ast.Call(ast.Attribute(ast.Name() as owner), arguments, [])) if types.containers(owner, *KINDS):
            return list(arguments)
        case ast.Expr(value) | ast.Return(ast.expr() as value) | ast.Assign(value=value) | ast.AugAssign(value=value):
            return [value]
    return [node for node in module.walk(statement) if isinstance(node, ast.expr)]


def _speaks(module: Module, types: Types, statement: ast.stmt) -> bool:
    """Something in it has effects: a call moved before it could fail before them, and somebody catch the failure."""
    effects = effects_of(module, types, _evaluated(module, types, statement))
    walrus = any(isinstance(node, ast.NamedExpr) for node in module.walk(statement))
    own = frozenset() if "nonlocal" in module.words else effects.called  # each call has variables of its own
    stored = any(v.scope not in own and not isinstance(v.scope, Comprehension) for v in effects.stored)
    return effects.unknown or effects.speaks or bool(effects.changed) or stored or walrus


def _calls(module: Module, types: Types, head: ast.AST, again: set[ast.Call]) -> Iterator[tuple[ast.Call, bool]]:
    """Calls that only depend on their arguments, outermost first, and whether they run on every path."""
    stack: list[tuple[ast.AST, bool]] = [(head, True)]
    while stack:
        node, always = stack.pop()
        if isinstance(node, ast.Call) and node in again and _is_pure(module, types, node):
            yield node, always
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        children = list(ast.iter_child_nodes(node))
        first = 1 if isinstance(node, ast.BoolOp) else 0
        lazy = isinstance(node, ast.BoolOp | ast.IfExp) or (isinstance(node, ast.Compare) and len(node.ops) > 1)
        for place, child in reversed(list(enumerate(children))):
            sure = not lazy or place <= first or (isinstance(node, ast.IfExp) and child is node.test)
            stack.append((child, always and sure and not (isinstance(node, ast.IfExp) and child is not node.test)))


def _is_pure(module: Module, types: Types, call: ast.Call) -> bool:
    if call.keywords or not call.args or spans_lines(call):
        return False
    if not all(isinstance(part, OPERATIONS) for part in module.walk(call)):
        return False
    inner = [part for part in module.walk(call) if isinstance(part, ast.Call) and part is not call]
    return (_of_scalars(types, call) or _of_elements(types, call)) and all(_is_pure(module, types, p) for p in inner)


def _of_scalars(types: Types, call: ast.Call) -> bool:
    """str(x), math.sqrt(x)."""
    if isinstance(call.func, ast.Attribute) and types.of(call.func.value) != {"@math"}:
        return False
    functions = types.of(call.func)
    known = {f"@{name}" for name in PURE} | {f"@math.{name}" for name in PURE_MATH}
    return bool(functions) and functions <= known and types.is_scalar(*call.args)


def _of_elements(types: Types, call: ast.Call) -> bool:
    """max(values), values.index(x): it goes through a list of numbers or text."""
    match call:
        case ast.Call(ast.Attribute(values, "index" | "count"), [sought]):
            return types.is_scalar(sought) and (types.is_text(values) or _plain_elements(types, values))
        case ast.Call(ast.Name() as function, [values]):
            functions = types.of(function)
            return bool(functions) and functions <= OF_ELEMENTS and _plain_elements(types, values)
    return False


def _plain_elements(types: Types, node: ast.expr) -> bool:
    found = types.containers(node, *KINDS)
    return bool(found) and all(container.elements <= SCALARS for container in found)


def _name(module: Module, call: ast.Call, taken: set[str]) -> str:
    function = call.func.attr if isinstance(call.func, ast.Attribute) else module.source(call.func)
    stem = NAMES.get(function, f"{function}_value")
    numbered = (stem, *(f"{stem}_{i}" for i in range(2, 10_000)))
    name = next(n for n in numbered if n not in taken and n not in module.words)
    taken.add(name)
    return name


RULE = Rule(
    name="repeated_call",
    reason="The same call with the same arguments runs more than once: keep its result.",
    before="""\
count = 0
for i in range(200):
    if str(i) == str(i)[::-1]:  # a palindrome
        count += 1
print(count)
""",
    after="""\
count = 0
for i in range(200):
    text = str(i)
    if text == text[::-1]:  # a palindrome
        count += 1
print(count)
""",
    limits=(
        "Calls of pow, str, int, float, bin and of math functions on numbers and text, and of max, min, sum, index and "
        "count on lists of them, in statements that follow each other and cannot change an argument in between."
    ),
    rewrite=rewrite,
)
