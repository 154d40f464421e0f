"""Parts of functions that distinguish two versions. Comments and docstrings are ignored."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Sequence

from codeopt.analysis.positions import Def, functions


def by_name(body: Sequence[ast.stmt]) -> dict[str, list[Def]]:
    """Functions by qualified name, of which a property and its setter have one."""
    found: dict[str, list[Def]] = defaultdict(list)
    for name, node in functions(body):
        found[name].append(node)
    return dict(found)


def head_of(node: Def) -> list[str]:
    """Decorators and parameters with their defaults, which are evaluated without a call."""
    return [type(node).__name__, *map(ast.dump, (node.args, *node.decorator_list))]


def body_of(node: Def) -> list[str]:
    """Statements without the docstring."""
    return [ast.dump(each) for each in node.body[is_text(node.body[0]) :]]


def is_text(node: ast.stmt) -> bool:
    """Return True if a statement is only a string, as docstrings are."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
