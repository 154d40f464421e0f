"""What a function gives back to callers that are not followed, and whether they can have had it before."""

from __future__ import annotations

import ast

from codeopt.analysis.facts import Facts
from codeopt.analysis.scopes import Comprehension, Variable
from codeopt.analysis.values import Container, Values


def leave(facts: Facts, function: ast.AST, values: Values) -> None:
    """Values are returned. A list that the function made, and only its own variables held, is known until it returns:
    each call makes a new one, and what becomes of earlier ones is no matter of this call.
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
    """Nothing but the function's own variables, and containers of which the same is true, ever holds it."""
    if container in seen:
        return True
    seen.add(container)
    if container.place is None or _function_of(facts, facts.program.scopes.scope[container.place]) is not function:
        return False
    for holder in facts.holders(container):
        if isinstance(holder, Container):
            if holder.escaped or not _at_home(facts, function, holder, seen):
                return False
        elif not _own(facts, function, holder):
            return False
    return True


def _own(facts: Facts, function: ast.AST, variable: Variable) -> bool:
    """A variable of the function that no function in it uses."""
    scopes = [variable.scope, *(use.scope for use in facts.program.scopes.all_uses(variable))]
    return all(scope is not None and _function_of(facts, scope) is function for scope in scopes)


def _function_of(facts: Facts, scope: ast.AST) -> ast.AST | None:
    """The scope itself, or that around a comprehension."""
    here: ast.AST | None = scope
    while isinstance(here, Comprehension):
        here = facts.program.scopes.outer[here]
    return here
