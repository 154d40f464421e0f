"""The sum of a range of whole numbers, by Gauss' formula."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import spans_lines
from codeopt.rules._module import Edit, Module, last_line, parse
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import INT

PARTS = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)
"""Of a bound: evaluated twice, so nothing that could have an effect."""


def rewrite(text: str, hot: Hot) -> str | None:
    """`sum(range(a, b))`, and loops that only add their counter, become one expression."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    edits: list[Edit] = []
    for node in module.walk():
        match node:
            case ast.Call(func, [source], []) if module.scopes.is_builtin(func, "sum"):
                formula = _formula(module, types, source)
                if formula and hot.touches(node.lineno, last_line(node)):
                    edits.append(module.replace(node, formula if _stands_alone(module, node) else f"({formula})"))
            case ast.For() if hot.touches(node.lineno, last_line(node)):
                edits += _loop(module, types, node)
    return module.edited(edits)


def _loop(module: Module, types: Types, loop: ast.For) -> list[Edit]:
    """`for i in range(n): total += i`."""
    match loop:
        case ast.For(
            ast.Name(counter) as target,
            source,
            [ast.AugAssign(ast.Name(total) as sum_, ast.Add(), ast.Name(added))],
            [],
        ) if counter == added != total:
            formula = _formula(module, types, source)
            comment = "#" in module.source(loop)
            if not formula or comment or not module.alone(loop) or types.of(sum_) != INT:  # True + 0 is 1
                return []
            if total in {part.id for part in module.walk(source) if isinstance(part, ast.Name)}:
                return []
            inside = set(module.walk(loop))
            uses = module.scopes.all_uses(module.scopes.variable(target))
            if any(use.node not in inside for use in uses):
                return []
            return [module.replace(loop, f"{total} += {formula}")]
    return []


def _formula(module: Module, types: Types, source: ast.expr) -> str:
    """The sum of `range(stop)` or `range(start, stop)`; empty when it is none, or of other than whole numbers."""
    match source:
        case ast.Call(func, [*bounds], []) if bounds and len(bounds) < 3 and module.scopes.is_builtin(func, "range"):
            plain = all(isinstance(part, PARTS) for bound in bounds for part in module.walk(bound))
            means_max = module.scopes.owner("max", module.scopes.scope[source]).scope is None
            if not plain or spans_lines(source) or not types.is_int(*bounds):
                return ""
            if not means_max or module.scopes.star_hides("max"):
                return ""
            return _gauss(module, bounds)
    return ""


def _gauss(module: Module, bounds: list[ast.expr]) -> str:
    stop = module.source(bounds[-1])
    start = bounds[0] if len(bounds) == 2 else ast.Constant(0)
    if isinstance(start, ast.Constant) and start.value in (0, 1):
        match bounds[-1]:
            case ast.BinOp(ast.Name(name), ast.Add(), ast.Constant(1)):
                return f"max({stop}, 0) * {name} // 2"
        return f"max({stop}, 0) * ({stop} - 1) // 2"
    first = module.source(start)
    return f"({first} + {stop} - 1) * max({stop} - {_grouped(first, start)}, 0) // 2"


def _grouped(text: str, node: ast.expr) -> str:
    return text if isinstance(node, ast.Name | ast.Constant) else f"({text})"


def _stands_alone(module: Module, node: ast.expr) -> bool:
    parent = module.scopes.parent[node]
    calls = isinstance(parent, ast.Call) and node in parent.args
    return calls or isinstance(parent, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr)


RULE = Rule(
    name="closed_form",
    reason="The sum of consecutive whole numbers has a formula: do not add them up.",
    before="""\
n = int("10")
total = 0
for i in range(1, n + 1):
    total += i
print(total, sum(range(3, n)))
""",
    after="""\
n = int("10")
total = 0
total += max(n + 1, 0) * n // 2
print(total, (3 + n - 1) * max(n - 3, 0) // 2)
""",
    limits=(
        "Ranges with step 1 whose bounds are sums of names and constants that are whole numbers for certain; loops "
        "that do nothing else and whose counter is used nowhere else. Refused when max is rebound."
    ),
    rewrite=rewrite,
)
