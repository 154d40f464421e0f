"""`grid[i][j]` in a loop over j: look up the row once."""

from __future__ import annotations

import ast
import re

from codeopt.rules import Hot, Rule
from codeopt.rules._bounds import bound_before, loops_around, spans_lines
from codeopt.rules._effects import Effects, effects_of
from codeopt.rules._module import Edit, Module, parse
from codeopt.rules._ranges import index_is_valid
from codeopt.rules._types import Types, types_of

Loop = ast.For | ast.While


def rewrite(text: str, hot: Hot) -> str | None:
    """Bind rows that a loop does not replace to a name before it."""
    module = parse(text)
    if module is None:
        return None
    types = types_of(module)
    effects: dict[Loop, Effects] = {}
    places: dict[tuple[Loop, str], list[ast.Subscript]] = {}
    for node in module.walk():
        if isinstance(node, ast.Subscript) and _is_row(module, node) and hot.touches(node.lineno, node.lineno):
            loop = _outermost(module, types, node, effects)
            if loop is not None:
                places.setdefault((loop, module.source(node)), []).append(node)
    return module.edited(_edits(module, places))


def _is_row(module: Module, node: ast.Subscript) -> bool:
    """`a[i]` in `a[i][j]`, with a sum of names and numbers for i."""
    parent = module.scopes.parent[node]
    parts = (ast.Name, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)
    return (
        isinstance(parent, ast.Subscript)
        and parent.value is node
        and isinstance(node.value, ast.Name)
        and all(isinstance(part, parts) for part in module.walk(node.slice))
        and not spans_lines(node)
    )


def _outermost(module: Module, types: Types, node: ast.Subscript, effects: dict[Loop, Effects]) -> Loop | None:
    """The outermost loop around, of those in which the row stays the same and before which it exists."""
    best: Loop | None = None
    for loop in loops_around(module, node):
        if loop not in effects:
            effects[loop] = effects_of(module, types, [loop])
        names = [part for part in module.walk(node) if isinstance(part, ast.Name)]
        if not module.alone(loop) or not effects[loop].keeps(module, types, node):
            break
        assert isinstance(node.value, ast.Name)
        if all(_bound(module, name, loop) for name in names) and index_is_valid(
            module, types, node.value, node.slice, loop
        ):
            best = loop
    return best


def _bound(module: Module, name: ast.Name, loop: Loop) -> bool:
    return bound_before(module, name, loop)


def _edits(module: Module, places: dict[tuple[Loop, str], list[ast.Subscript]]) -> list[Edit]:
    edits: list[Edit] = []
    taken: set[str] = set()
    above: dict[Loop, list[str]] = {}
    for (loop, source), nodes in places.items():
        name = _name(module, nodes[0], taken)
        above.setdefault(loop, []).append(f"{name} = {source}")
        edits += [module.replace(node, name) for node in nodes]
    return [*edits, *(module.before(loop, *lines) for loop, lines in above.items())]


def _name(module: Module, node: ast.Subscript, taken: set[str]) -> str:
    """grid[i] becomes grid_i, grid[i + 1] grid_i_1."""
    stem = "_".join(re.findall(r"\w+", module.source(node)))
    numbered = (stem, f"{stem}_row", *(f"{stem}_row_{i}" for i in range(2, 10_000)))
    name = next(n for n in numbered if n not in taken and n not in module.words)
    taken.add(name)
    return name


RULE = Rule(
    name="row_hoist",
    reason="The row is the same in every round of the inner loop: look it up once, before the loop.",
    before="""\
def paths(n):
    grid = [[1] * n for _ in range(n)]
    for i in range(1, n):
        for j in range(1, n):
            grid[i][j] = grid[i - 1][j] + grid[i][j - 1]
    return grid[n - 1][n - 1]


print(paths(5))
""",
    after="""\
def paths(n):
    grid = [[1] * n for _ in range(n)]
    for i in range(1, n):
        grid_i = grid[i]
        grid_i_1 = grid[i - 1]
        for j in range(1, n):
            grid_i[j] = grid_i_1[j] + grid_i[j - 1]
    return grid[n - 1][n - 1]


print(paths(5))
""",
    limits=(
        "A list of rows bound to a name once, with a length that the text shows (a comprehension or loop over "
        "range(n), [...] * n), which nothing shrinks; an index counted by a range around the loop that shows to stay "
        "within it; nothing in the loop replaces a row."
    ),
    rewrite=rewrite,
)
