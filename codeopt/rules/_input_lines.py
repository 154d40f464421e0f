"""Calls that read a line, and what is done with the line: whether its end matters."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram

PARSERS = ("int", "float", "eval")
"""Builtins that ignore white space around their argument, the line end included."""

STRIPS = frozenset({"split", "strip", "rstrip"})
"""Methods that drop the line end when they are called without arguments."""


def plain_call(program: AnalyzedProgram, name: ast.AST) -> ast.Call | None:
    """The call `name()` around a name, if it is nothing but that, without arguments."""
    match program.scopes.parent.get(name):
        case ast.Call(func=func, args=[], keywords=[]) as call if func is name:
            return call
    return None


def ignores_line_end(program: AnalyzedProgram, call: ast.Call) -> bool:
    """What is done with the line does not depend on the line end."""
    parent = program.scopes.parent[call]
    match parent:
        case ast.Expr():
            return True
        case ast.Call(func=func, args=[argument], keywords=[]) if argument is call:
            return program.scopes.is_builtin(func, *PARSERS)
        case ast.Attribute(attr=name):
            match program.scopes.parent[parent]:
                case ast.Call(func=func, args=[], keywords=[]) if func is parent:
                    return name in STRIPS
    return False
