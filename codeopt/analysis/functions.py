"""Flow of values into the program's own functions and out of them, unfollowed callers included."""

from __future__ import annotations

import ast

from codeopt.analysis import library
from codeopt.analysis.facts import Facts
from codeopt.analysis.hints import hinted
from codeopt.analysis.scopes import Comprehension, Function, Variable
from codeopt.analysis.values import ANY, INT, NONE, NUMBERS, SCALARS, Container, FunctionValue, Values, union


def parameters(facts: Facts, node: ast.AST, arguments: ast.arguments) -> None:
    """The values of a function's or lambda's parameters, besides those that its calls feed into them."""
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(named[::-1], arguments.defaults[::-1], strict=False))
    defaults |= {arg: d for arg, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d}
    for arg in [*named, *arguments.kwonlyargs]:
        place = facts.place(Variable(node, arg.arg))
        facts.join(place, facts.value(defaults[arg]) if arg in defaults else ())
        if node in facts.externally_callable:
            _give_away(facts, frozenset(place), hinted(facts, arg.annotation))
            facts.join(place, hinted(facts, arg.annotation))
    for extra in (arguments.vararg, arguments.kwarg):
        if extra:
            facts.join(facts.place(Variable(node, extra.arg)), ANY)


def lost(facts: Facts, node: ast.Call, arguments: list[Values]) -> Values:
    """Note a call of an unfollowed function, which keeps all that it is given."""
    return facts.escape(*arguments, *(facts.value(keyword.value) for keyword in node.keywords))


def own(facts: Facts, node: ast.Call, function: Function, arguments: list[Values]) -> Values:
    """Note a call of one of the program's functions: the arguments flow into its parameters."""
    formal = function.args
    names = [arg.arg for arg in [*formal.posonlyargs, *formal.args]]
    starred = any(isinstance(a, ast.Starred) for a in node.args) or any(k.arg is None for k in node.keywords)
    if starred or formal.vararg or formal.kwarg or len(arguments) > len(names):
        facts.escape(frozenset({FunctionValue(function)}))
        return lost(facts, node, arguments)
    given = [*zip(names, arguments, strict=False), *((k.arg or "", facts.value(k.value)) for k in node.keywords)]
    hints = {arg.arg: arg.annotation for arg in [*formal.posonlyargs, *formal.args, *formal.kwonlyargs]}
    for name, values in given:
        facts.join(facts.place(Variable(function, name)), values)
        if function in facts.externally_callable:
            _give_away(facts, values, hinted(facts, hints.get(name)))
    return _result(facts, function)


def _give_away(facts: Facts, values: Values, hint: Values) -> None:
    """Give away an argument of a function that others call too, and perhaps wrap: they may hold it, and keep to the
    hint."""
    like = {each.kind: each for each in hint if isinstance(each, Container) and each.elements | each.keys <= SCALARS}
    for value in values:
        if isinstance(value, Container) and value.kind in like:
            facts.share(value, like[value.kind])
        else:
            facts.escape(frozenset({value}))


def _result(facts: Facts, function: Function) -> Values:
    returned = frozenset(facts.returned.get(function, ()))
    if isinstance(function, ast.Lambda) or _always_returns(function.body):
        return returned
    return returned | NONE


def _always_returns(body: list[ast.stmt]) -> bool:
    match body[-1]:
        case ast.Return() | ast.Raise():
            return True
        case ast.If(body=one, orelse=other):
            return bool(other) and _always_returns(one) and _always_returns(other)
    return False


def apply(facts: Facts, functions: Values, *arguments: Values) -> Values:
    """The values that functions give for arguments that somebody else passes to them."""
    found: set[object] = set()
    external = facts.externally_callable
    for function in functions:
        names = [arg.arg for arg in function.node.args.args] if isinstance(function, FunctionValue) else []
        if isinstance(function, FunctionValue) and len(names) == len(arguments) and function.node not in external:
            for name, values in zip(names, arguments, strict=True):
                facts.feed(function.node, name, values)
            found |= _result(facts, function.node)
        elif isinstance(function, str) and function[1:] in library.RETURNS:
            found |= library.RETURNS[function[1:]]
        elif function in ("@sum", "@min", "@max") and all(facts.elements(one) <= NUMBERS for one in arguments):
            found |= union([facts.elements(one) for one in arguments]) | INT
        else:
            found |= facts.escape(frozenset({function}), *arguments)
    return frozenset(found)


def leave(facts: Facts, function: ast.AST, values: Values) -> None:
    """Note the values that a function returns.

    A list that the function made, and only its own variables held, is known until it returns: each call makes a new
    one, and the fate of earlier ones does not matter to this call.
    """
    stack, seen = list(values), set()
    while stack:
        value = stack.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(value, Container) and not value.escaped and _at_home(facts, function, value, set()):
            stack += [*value.elements, *value.keys]
        else:
            facts.escape(frozenset({value}))


def _at_home(facts: Facts, function: ast.AST, container: Container, seen: set[Container]) -> bool:
    """Whether a container is only ever held by the function's own variables, and by containers of which the same is
    true."""
    if container in seen:
        return True
    seen.add(container)
    if container.place is None or _function_of(facts, facts.program.scopes.scope[container.place]) is not function:
        return False
    for holder in facts.holders(container):
        if isinstance(holder, Container):
            if holder.escaped or not _at_home(facts, function, holder, seen):
                return False
        elif not _is_own(facts, function, holder):
            return False
    return True


def _is_own(facts: Facts, function: ast.AST, variable: Variable) -> bool:
    """Whether a variable belongs to the function, and no function inside uses it."""
    scopes = [variable.scope, *(use.scope for use in facts.program.scopes.all_uses(variable))]
    return all(scope is not None and _function_of(facts, scope) is function for scope in scopes)


def _function_of(facts: Facts, scope: ast.AST) -> ast.AST | None:
    """The function of a scope: itself, or the one around a comprehension."""
    here: ast.AST | None = scope
    while isinstance(here, Comprehension):
        here = facts.program.scopes.outer[here]
    return here
