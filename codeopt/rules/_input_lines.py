"""Calls that read a line, and what is done with the line: whether its end matters."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram, Variable

PARSERS = ("int", "float", "eval")
"""Builtins that ignore white space around their argument, the line end included."""

STRIPS = frozenset({"split", "strip", "rstrip"})
"""Methods that drop the line end when they are called without arguments."""


def bare_calls(program: AnalyzedProgram, function: Variable) -> list[ast.Call] | None:
    """Where a function is called; None where it is given arguments, or anything else is done with it."""
    calls = program.calls_of(function) or []
    return calls if calls and not any(call.args or call.keywords for call in calls) else None


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
