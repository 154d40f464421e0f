"""What stands around a node: the loops that run it again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from codeopt.analysis.scopes import Comprehension, Function
from codeopt.analysis.syntax import Syntax

Loop = ast.For | ast.While


def rounds(program: Syntax, node: ast.AST) -> Iterator[tuple[ast.AST, bool]]:
    """What stands around the node, innermost first, and whether that runs the node in each of its rounds."""
    for child, parent in program.scopes.steps(node):
        again = False
        if isinstance(parent, ast.For | ast.AsyncFor):
            again = child is not parent.iter and child not in parent.orelse
        elif isinstance(parent, ast.While):
            again = child not in parent.orelse
        elif isinstance(parent, Comprehension):
            again = not program.holds(parent.generators[0].iter, node)
        yield parent, again


def loops_around(program: Syntax, node: ast.AST) -> list[Loop]:
    """The loops of the same function that run the node again and again, innermost first."""
    found: list[Loop] = []
    for parent, again in rounds(program, node):
        if isinstance(parent, Function | ast.ClassDef):
            break
        if again and isinstance(parent, Loop):
            found.append(parent)
    return found


def runs_again(program: Syntax, node: ast.AST, *, functions: bool = True) -> bool:
    """The node runs in a loop or comprehension, or (when asked) in a function, which may be called in one."""
    for parent, again in rounds(program, node):
        if again or isinstance(parent, Function):
            return again or functions
    return False


def runs_once(program: Syntax, node: ast.AST) -> bool:
    """It is reached at most once."""
    for parent, again in rounds(program, node):
        if again or isinstance(parent, ast.Lambda | ast.AsyncFunctionDef | ast.ClassDef):
            return False
        if isinstance(parent, ast.FunctionDef) and not _called_once(program, parent):
            return False
    return True


def _called_once(program: Syntax, function: ast.FunctionDef) -> bool:
    """By a statement of the module that is reached once."""
    if function.decorator_list or program.scopes.scope[function] is not program.tree:
        return False
    match program.calls_of(program.scopes.variable(function)):
        case [call]:
            return all(isinstance(p, ast.Expr | ast.If | ast.Module) for p in program.scopes.parents(call))
    return False
