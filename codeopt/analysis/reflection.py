"""Programs that look at their own names, frames or code, and so can tell any rewrite from the original."""

from __future__ import annotations

import ast

from codeopt.analysis.nodes import reads_line
from codeopt.analysis.scopes import Scopes
from codeopt.analysis.syntax import Syntax

ONLY_NAMES = frozenset({"exec", "compile", "globals", "locals", "vars", "dir", "inspect"})
"""Words below that may also be the name of a harmless method: re.compile is one."""

REFLECTION = (
    ONLY_NAMES
    | {"__import__", "__builtins__", "builtins", "__dict__", "__main__", "__annotations__", "modules"}
    | {"_getframe", "settrace", "setprofile", "f_locals", "f_globals"}
    | {"__code__", "__globals__", "__closure__", "co_varnames"}
)


def looks_at_itself(program: Syntax) -> bool:
    """Whether some name, attribute or import of the program is a way to its own names, frames or code; or it calls
    eval."""
    suspect = program.words & REFLECTION or "eval" in program.words
    return bool(suspect) and any(_reflects(program.scopes, node) for node in program.walk())


def _reflects(scopes: Scopes, node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name("eval"), args=[argument], keywords=[]):
            return not reads_line(argument)
        case ast.Name(name) if name in ONLY_NAMES:
            return scopes.variable(node).scope is None or bool(scopes.stars)  # not a variable that is called dir
        case ast.Attribute(attr=name) if name in ONLY_NAMES:
            return False
        case ast.Name(name) | ast.Attribute(attr=name) | ast.alias(name=name):
            return bool(REFLECTION.intersection(name.split(".")))
    return False
