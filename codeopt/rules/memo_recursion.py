"""A pure function that calls itself more than once: remember its results."""

from __future__ import annotations

import ast

from codeopt.rules import Hot, Rule
from codeopt.rules._effects import Effects, effects_of
from codeopt.rules._hot import hot_nodes
from codeopt.rules._insert import from_import
from codeopt.rules._module import Module, parse
from codeopt.rules._scopes import Variable
from codeopt.rules._types import Types, types_of
from codeopt.rules._values import SCALARS, Container, Values, deep

KEYS = ({"int"}, {"str"}, {"bool"}, {"none"}, {"bytes"})
"""Arguments of one of these: 1, 1.0 and True are the same key, so kinds must not mix."""


def rewrite(text: str, hot: Hot) -> str | None:
    """Decorate such functions with functools.cache."""
    module = parse(text)
    if module is None or "setrecursionlimit" in module.words:  # deep recursion: the cache takes C stack for each level
        return None
    types = types_of(module)
    found = [
        node
        for node in hot_nodes(module, hot, ast.FunctionDef)
        if _branches(module, node) and _is_pure(module, types, node)
    ]
    imported = from_import(module, "functools", "cache") if found else None
    if imported is None:
        return None
    return module.edited([*imported, *(module.before(node, "@cache") for node in found)])


def _branches(module: Module, function: ast.FunctionDef) -> bool:
    """It calls itself in two places or more, and nobody uses it but by calling it with plain arguments."""
    variable = module.scopes.owner(function.name, module.scopes.scope[function])
    inside = set(module.walk(function))
    own = 0
    for use in module.scopes.all_uses(variable):
        if use.kind != "load":
            if use.node is not function:
                return False
            continue
        call = module.scopes.parent[use.node]
        if not isinstance(call, ast.Call) or call.func is not use.node or call.keywords:
            return False
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            return False
        own += use.node in inside
    arguments = function.args
    plain = not (arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults)
    return own > 1 and plain and bool(arguments.args) and not function.decorator_list and module.alone(function)


def _is_pure(module: Module, types: Types, function: ast.FunctionDef) -> bool:
    """The result follows from the arguments, cannot be changed, and making it changes nothing else."""
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in module.walk(function)):
        return False
    for argument in [*function.args.posonlyargs, *function.args.args]:
        values = types.of_variable(Variable(function, argument.arg))
        if not values or values not in KEYS:
            return False
    if not _cannot_change(types.returned_by(function)):
        return False
    effects = effects_of(module, types, function.body)
    inside = set(module.walk(function))
    own_variables = all(v.scope in inside for v in effects.stored)
    own_containers = all(types.maker(c) in inside for c in effects.changed)
    if effects.unknown or effects.speaks or not own_variables or not own_containers:
        return False
    return _world_stands_still(module, types, function, inside)


def _cannot_change(values: Values) -> bool:
    return bool(values) and all(
        value in SCALARS or (isinstance(value, Container) and value.kind == "tuple" and value.elements <= SCALARS)
        for value in values
    )


def _world_stands_still(module: Module, types: Types, function: ast.FunctionDef, inside: set[ast.AST]) -> bool:
    """From the first call on, nothing that the function reads from outside is bound again or changed."""
    later = _after_first_call(module, types, function)
    if later is None or later.unknown:
        return False
    for node in inside:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            variable = module.scopes.variable(node)
            if variable.scope is None or variable.scope in inside or variable.name == function.name:
                continue
            values = types.of(node)
            changed = any(isinstance(v, Container) and v in later.changed for v in deep(values))
            if variable in later.stored or changed:
                return False
    return True


def _after_first_call(module: Module, types: Types, function: ast.FunctionDef) -> Effects | None:
    """What the statements beside the definition do, from the first one that may call the function."""
    scope = module.scopes.scope[function]
    body = getattr(scope, "body", None)
    if not isinstance(body, list) or function not in body:
        return None
    runs = [s for s in body if not isinstance(s, ast.FunctionDef)]
    for position, statement in enumerate(runs):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            continue  # modules know nothing of the function
        if function in effects_of(module, types, [statement]).called or effects_of(module, types, [statement]).unknown:
            return effects_of(module, types, runs[position:])
    return None


RULE = Rule(
    name="memo_recursion",
    reason="The function computes the same results again and again: remember them with functools.cache.",
    before="""\
def ways(n):
    if n < 2:
        return 1
    return ways(n - 1) + ways(n - 2)


print(ways(16))
""",
    after="""\
from functools import cache


@cache
def ways(n):
    if n < 2:
        return 1
    return ways(n - 1) + ways(n - 2)


print(ways(16))
""",
    limits=(
        "Functions with at least two calls of themselves, positional arguments that are whole numbers or text, results "
        "that cannot change, no input or output, and nothing read from outside that changes after the first call. "
        "Refused with sys.setrecursionlimit: each level takes more stack. Memory grows with the number of arguments."
    ),
    rewrite=rewrite,
)
