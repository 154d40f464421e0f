"""What stands around a node: the loops that run it again and again."""

from __future__ import annotations

import ast

from codeopt.analysis.scopes import Comprehension, Function
from codeopt.analysis.syntax import Syntax

Loop = ast.For | ast.While


def loops_around(program: Syntax, node: ast.AST) -> list[Loop]:
    """The loops of the same function that run the node again and again, innermost first."""
    found: list[Loop] = []
    child = node
    for parent in program.scopes.parents(node):
        if isinstance(parent, Function | ast.ClassDef):
            break
        if (
            isinstance(parent, ast.For)
            and child in parent.body
            or isinstance(parent, ast.While)
            and child not in parent.orelse
        ):
            found.append(parent)
        child = parent
    return found


def runs_again(program: Syntax, node: ast.AST, *, functions: bool = True) -> bool:
    """The node runs in a loop or comprehension, or (when asked) in a function, which may be called in one."""
    child = node
    for parent in program.scopes.parents(node):
        if isinstance(parent, ast.For | ast.AsyncFor) and child is not parent.iter and child not in parent.orelse:
            return True
        if isinstance(parent, ast.While) and child not in parent.orelse:
            return True
        if isinstance(parent, Comprehension) and not program.holds(parent.generators[0].iter, node):
            return True
        if isinstance(parent, Function):
            return functions
        child = parent
    return False
