"""sum([a, b, c]) to a + b + c: no list, no call."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import spans_lines
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._plain import builtin_call, in_loop
from codeopt.rules._types import types_of

TIGHT = ast.Name | ast.Constant | ast.Call | ast.Subscript | ast.Attribute
ADDED = (ast.Add, ast.Sub)
PRODUCTS = (ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow)


def rewrite(text: str, hot: Hot) -> str | None:
    """Add whole numbers with `+`; give min and max their values as arguments."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in module.walk():
        match node:
            case ast.Call(args=[ast.List(elts) | ast.Tuple(elts) as display]) if _matches(module, node, elts, hot):
                if builtin_call(module, node, "sum") and types.is_int(*elts):
                    edits.append(module.replace(node, _added(module, node, elts)))
                elif builtin_call(module, node, "min", "max"):
                    edits.append(module.replace(display, ", ".join(module.source(part) for part in elts)))
    return module.edited(edits)


def _matches(module: Module, call: ast.Call, elements: list[ast.expr], hot: Hot) -> bool:
    starred = any(isinstance(part, ast.Starred) for part in elements)
    repeated = in_loop(module, call) and hot.touches(call.lineno, call.lineno)
    return len(elements) > 1 and not starred and repeated and not spans_lines(call)


def _added(module: Module, node: ast.Call, elements: list[ast.expr]) -> str:
    text = " + ".join(_operand(module, part, first=not i) for i, part in enumerate(elements))
    parent = module.scopes.parent[node]
    alone = isinstance(parent, ast.Assign | ast.AugAssign | ast.Return | ast.Call | ast.Compare | ast.If | ast.While)
    return text if alone else f"({text})"


def _operand(module: Module, node: ast.expr, first: bool) -> str:
    """An element as a summand: sums may stand first, products anywhere, the rest in parentheses."""
    source = module.source(node)
    if isinstance(node, TIGHT) or (isinstance(node, ast.BinOp) and isinstance(node.op, PRODUCTS)):
        return source
    if first and isinstance(node, ast.BinOp) and isinstance(node.op, ADDED):
        return source
    return f"({source})"


RULE = Rule(
    name="literal_sum",
    reason="sum(), min() and max() of a list that is written down build the list first: use the values directly.",
    before="""\
count = 0
for a in range(9):
    for b in range(a, 9):
        if sum([a, b, 1]) == 9 and max([a, b]) < 7:
            count += 1
print(count)
""",
    after="""\
count = 0
for a in range(9):
    for b in range(a, 9):
        if a + b + 1 == 9 and max(a, b) < 7:
            count += 1
print(count)
""",
    limits="sum() only of values that are whole numbers for certain (floats add differently); no starred elements.",
    rewrite=rewrite,
)
