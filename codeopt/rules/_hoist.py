"""Where something can be computed once instead of again and again: before a loop that leaves it as it is."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from codeopt.rules._bounds import bound_before, loops_around
from codeopt.rules._effects import Effects, effects_of
from codeopt.rules._module import Module
from codeopt.rules._plain import builtin_call
from codeopt.rules._scopes import Comprehension, Function
from codeopt.rules._types import Types
from codeopt.rules._values import SCALARS, Container

CONSUMERS = ("sum", "any", "all", "max", "min", "sorted", "list", "set", "tuple", "dict", "len")
"""Builtins that use up a generator at once."""


def outermost(
    module: Module, types: Types, node: ast.expr, names: Iterable[ast.Name], keeps: Callable[[Effects], bool]
) -> ast.stmt | None:
    """The outermost loop around the node, or statement of a comprehension around it, that changes nothing it needs.

    The names have to be bound before it. None when there is no such place.
    """
    best: ast.stmt | None = None
    names = list(names)
    statement = _repeating_statement(module, node)
    places: list[ast.stmt] = [statement] if statement is not None else []
    for place in [*places, *loops_around(module, node)]:
        bound = module.alone(place) and all(bound_before(module, name, place) for name in names)
        if not bound or not keeps(effects_of(module, types, [place])):
            break
        best = place
    return best


def _repeating_statement(module: Module, node: ast.expr) -> ast.stmt | None:
    """The simple statement around a comprehension that evaluates the node once an element."""
    repeated = False
    child: ast.AST = node
    for parent in module.scopes.parents(node):
        if isinstance(parent, Function):
            return None
        if isinstance(parent, Comprehension):
            if isinstance(parent, ast.GeneratorExp) and not used_up(module, parent):
                return None
            first = isinstance(child, ast.comprehension) and child is parent.generators[0]
            repeated = repeated or not first or any(module.holds(test, node) for test in parent.generators[0].ifs)
        if isinstance(parent, ast.stmt):
            simple = isinstance(parent, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr)
            return parent if repeated and simple else None
        child = parent
    return None


def used_up(module: Module, generator: ast.GeneratorExp) -> bool:
    parent = module.scopes.parent[generator]
    if builtin_call(module, parent, *CONSUMERS):
        return True
    return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "join"


def hashable(values: Iterable[object]) -> bool:
    """All of them are numbers, text, None, or tuples of such: equal ones have equal hashes, without effects."""
    values = list(values)
    return bool(values) and all(
        value in SCALARS
        or (isinstance(value, Container) and value.kind == "tuple" and hashable_or_empty(value.elements))
        for value in values
    )


def hashable_or_empty(values: Iterable[object]) -> bool:
    """As hashable, and nothing at all is fine too."""
    values = list(values)
    return not values or hashable(values)


def unused_name(module: Module, taken: set[str], *wanted: str) -> str:
    """The first of the names that is neither in the program nor taken; noted as taken."""
    numbered = (*wanted, *(f"{wanted[0]}_{i}" for i in range(2, 10_000)))
    name = next(n for n in numbered if n not in taken and n not in module.words)
    taken.add(name)
    return name
