"""Is it certain that an expression is a number, text, a container of such, or a function: no object of a class?"""

from __future__ import annotations

import ast

from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import SCALARS, Container, FunctionValue, deep


def may_be_object(program: Syntax, types: Types, node: ast.expr) -> bool:
    """Something with operators of its own may come out of the expression."""
    match node:
        case ast.Starred() | ast.FormattedValue():
            return False  # what stands in it is asked
        case ast.Name(ctx=ast.Store() | ast.Del()):
            return False
        case ast.Attribute(owner, ctx=ast.Load()) if _is_called(program, node):
            return may_be_object(program, types, owner)
    return not all_plain(types.of(node))


def _is_called(program: Syntax, node: ast.Attribute) -> bool:
    parent = program.scopes.parent[node]
    return isinstance(parent, ast.Call) and parent.func is node


def all_plain(values: frozenset[object] | set[object]) -> bool:
    """None of the values, nor of what is in them, is unknown."""
    return all(
        value in SCALARS or isinstance(value, Container | FunctionValue) or str(value).startswith("@")
        for value in deep(values)
    )
