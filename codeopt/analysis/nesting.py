"""What stands around a node: the loops that run it again and again."""

from __future__ import annotations

import ast

from codeopt.analysis.scopes import Comprehension, Function, Variable
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


def runs_once(program: Syntax, node: ast.AST) -> bool:
    """It is reached at most once."""
    child: ast.AST = node
    for parent in program.scopes.parents(node):
        repeats = isinstance(parent, ast.While) or (isinstance(parent, ast.For) and child is not parent.iter)
        if repeats or isinstance(parent, ast.Lambda | ast.AsyncFunctionDef | ast.ClassDef):
            return False
        if isinstance(parent, Comprehension) and not program.holds(parent.generators[0].iter, node):
            return False
        if isinstance(parent, ast.FunctionDef) and not _called_once(program, parent):
            return False
        child = parent
    return True


def _called_once(program: Syntax, function: ast.FunctionDef) -> bool:
    """By a statement of the module that is reached once."""
    if function.decorator_list or program.scopes.scope[function] is not program.tree:
        return False
    uses = program.scopes.all_uses(Variable(program.tree, function.name))
    loads = [use.node for use in uses if use.kind == "load"]
    if len(loads) != 1 or len(uses) != 2:
        return False
    (used,) = loads
    match program.scopes.parent[used]:
        case ast.Call(func=func) as call if func is used:
            around = [p for p in program.scopes.parents(call) if not isinstance(p, ast.Expr | ast.If | ast.Module)]
            return not around
    return False
