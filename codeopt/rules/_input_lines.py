"""Calls that read a line, and whether the program depends on the line's end."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram, Variable

PARSERS = ("int", "float", "eval")
"""Builtins that ignore white space around their argument, the line end included."""

STRIPS = frozenset({"split", "strip", "rstrip"})
"""Methods that drop the line end when they are called without arguments."""


def bare_calls(program: AnalyzedProgram, function: Variable) -> list[ast.Call] | None:
    """The calls of a function. None if it is given arguments, or used in any other way."""
    calls = program.calls_of(function) or []
    return calls if calls and not any(call.args or call.keywords for call in calls) else None


def ignores_line_end(program: AnalyzedProgram, call: ast.Call) -> bool:
    """Return whether the use of the line does not depend on its end."""
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
