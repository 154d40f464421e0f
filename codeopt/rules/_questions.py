"""What several rules ask: is a value the same in each round of a loop, and does the end of a line of input matter."""

from __future__ import annotations

import ast

from codeopt.analysis import AnalyzedProgram, Variable
from codeopt.analysis.values import MUTATING

_UPDATES = {"difference_update", "intersection_update", "symmetric_difference_update"}
CHANGING_METHODS = MUTATING | _UPDATES | {"move_to_end", "write", "read", "readline", "send", "seek"}
"""Methods that change what they are called on."""
READING_BUILTINS = frozenset(
    {"all", "any", "bool", "dict", "enumerate", "filter", "float", "format", "frozenset", "getattr", "hasattr", "int"}
    | {"isinstance", "len", "list", "map", "max", "min", "print", "range", "repr", "reversed", "set", "sorted", "str"}
    | {"sum", "tuple", "type", "zip", "id", "hash", "abs", "round", "issubclass", "iter"}
)
"""Builtins that leave their arguments as they are."""


def dotted(node: ast.AST) -> str:
    """`a.b.c` of names and attributes. Empty for anything else."""
    match node:
        case ast.Name(name):
            return name
        case ast.Attribute(owner, name):
            inside = dotted(owner)
            return f"{inside}.{name}" if inside else ""
    return ""


def place_before(program: AnalyzedProgram, value: ast.expr) -> ast.stmt | None:
    """The outermost loop, or statement with a comprehension, around a value before which it can be computed.

    None if it cannot be computed before any of them.
    """
    return program.loops.outermost(value, program.names(value), lambda place: stays(program, place, value))


def stays(program: AnalyzedProgram, place: ast.AST, value: ast.expr) -> bool:
    """Whether the text of a loop changes no part of a dotted name."""
    variables = {program.scopes.variable(name) for name in program.names(value)}
    if any(program.stores_in(place, variable) for variable in variables):
        return False
    paths = {found for part in program.walk(value) if (found := dotted(part))}
    attributes = {part.attr for part in program.walk(value) if isinstance(part, ast.Attribute)}
    if not any(_changes(program, part, paths, attributes) for part in program.walk(place)):
        return not (attributes and _calls_own_method(program, place, paths, attributes))
    return False


def _changes(program: AnalyzedProgram, part: ast.AST, paths: set[str], attributes: set[str]) -> bool:
    """Whether one node of the loop may change the value."""
    match part:
        case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
            return name in attributes
        case ast.Subscript(owner, ctx=ast.Store() | ast.Del()):
            return _touches(owner, paths)
        case ast.Call(ast.Attribute(owner, method)) if method in CHANGING_METHODS:
            return _touches(owner, paths)
        case ast.Call(func, arguments, keywords) if not program.scopes.is_builtin(func, *READING_BUILTINS):
            given = [*arguments, *(keyword.value for keyword in keywords)]
            bare = [each.value if isinstance(each, ast.Starred) else each for each in given]
            return any(dotted(each) in paths - {"self", "cls"} for each in bare)
        case ast.Yield() | ast.YieldFrom() | ast.Await():
            return bool(attributes)
    return False


def _touches(owner: ast.expr, paths: set[str]) -> bool:
    """Whether an owner that is changed is part of the value, or holds it."""
    while isinstance(owner, ast.Subscript | ast.Call):
        owner = owner.value if isinstance(owner, ast.Subscript) else owner.func
    found = dotted(owner)
    return not found or any(found == path or path.startswith(f"{found}.") for path in paths)


def _calls_own_method(program: AnalyzedProgram, place: ast.AST, paths: set[str], attributes: set[str]) -> bool:
    """Whether the loop calls a method of an object of which the value is an attribute, and the attribute is set or
    changed outside of `__init__`."""
    roots = {path.partition(".")[0] for path in paths if "." in path}
    calls = (part.func for part in program.walk(place) if isinstance(part, ast.Call))
    called = any(isinstance(call, ast.Attribute) and dotted(call.value) in roots for call in calls)
    named = (node for node in program.of_kind(ast.Attribute) if node.attr in attributes)
    return called and any(_set_elsewhere(program, node) for node in named)


def _set_elsewhere(program: AnalyzedProgram, node: ast.Attribute) -> bool:
    """Whether an attribute is stored, deleted or changed outside of `__init__`."""
    scope = program.scopes.scope[node]
    if isinstance(scope, ast.FunctionDef) and scope.name == "__init__":
        return False
    parent = program.scopes.parent.get(node)
    stored = not isinstance(node.ctx, ast.Load)
    stored = stored or (isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load))
    return stored or (isinstance(parent, ast.Attribute) and parent.attr in CHANGING_METHODS)


# Calls that read a line, and whether the program depends on the line's end.

PARSERS = ("int", "float", "eval")
"""Builtins that ignore white space around their argument, the line end included."""


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
                    # methods that drop the line end when they are called without arguments
                    return name in {"split", "strip", "rstrip"}
    return False
