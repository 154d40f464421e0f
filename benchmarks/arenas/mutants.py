"""Small mistakes put into a right program, one at a time."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Div, ast.Div: ast.FloorDiv,
    ast.And: ast.Or, ast.Or: ast.And, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
"""Operators, each with the one that is written by mistake."""


def mutants(source: str, seed: int = 1) -> Iterator[str]:
    """Programs with one mistake each, in an order by chance."""
    sites = list(range(sum(1 for _ in _changes(ast.parse(source)))))
    random.Random(seed).shuffle(sites)
    for site in sites:
        tree = ast.parse(source)
        next(change for at, change in enumerate(_changes(tree)) if at == site)()
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text != ast.unparse(ast.parse(source)):
            yield text


def _changes(tree: ast.AST) -> Iterator[Callable[[], None]]:
    """What can be changed in a tree."""
    for node in ast.walk(tree):
        for name in ("op", "ops"):
            value = getattr(node, name, None)
            if isinstance(value, ast.AST) and type(value) in SWAPS:
                yield lambda node=node, value=value: setattr(node, "op", SWAPS[type(value)]())
            elif isinstance(value, list) and type(value[0]) in SWAPS:
                yield lambda node=node, value=value: setattr(node, "ops", [SWAPS[type(value[0])](), *value[1:]])
        if isinstance(node, ast.Constant) and type(node.value) is int:
            yield lambda node=node: setattr(node, "value", node.value + 1)
            yield lambda node=node: setattr(node, "value", node.value - 1)
        if isinstance(node, ast.Call) and len(node.args) > 1:
            yield lambda node=node: setattr(node, "args", node.args[:-1])
        if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1:
            yield lambda node=node: setattr(node, "body", [ast.Pass()])
