"""Flow of values through statements, one small function for each kind of statement. Part of the types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from codeopt.analysis import library
from codeopt.analysis.expressions import binary, is_positive, load
from codeopt.analysis.facts import Facts
from codeopt.analysis.functions import leave, parameters
from codeopt.analysis.hints import hinted
from codeopt.analysis.nodes import bound_name
from codeopt.analysis.values import ANY, NONE, UNKNOWN, Container, FunctionValue

UNFOLLOWED = (ast.AsyncWith, ast.Match, ast.AsyncFor, ast.Delete, ast.Raise)
"""Statements that are not followed: the values that go in are lost, and the names that they bind are unknown."""


def block(facts: Facts, body: Iterable[ast.stmt]) -> None:
    """Follow values through statements."""
    for statement in body:
        STATEMENTS.get(type(statement), _other)(facts, statement)


def _assign(facts: Facts, node: ast.Assign) -> None:
    values = facts.value(node.value)
    for target in node.targets:
        facts.bind(target, values)


def _annotated(facts: Facts, node: ast.AnnAssign) -> None:
    if node.value:
        values = facts.value(node.value)
        facts.bind(node.target, values - ANY | hinted(facts, node.annotation) if UNKNOWN in values else values)


def _augmented(facts: Facts, node: ast.AugAssign) -> None:
    old, new = load(facts, node.target), facts.value(node.value)
    mutable = frozenset(v for v in old if isinstance(v, Container) and v.kind in ("list", "deque", "set", "dict"))
    for container in mutable:
        assert isinstance(container, Container)
        facts.join(container.elements, facts.elements(new))
        facts.join(container.keys, facts.elements(new) if container.kind == "dict" else ())
        if container.escaped:
            facts.escape(facts.elements(new))
    kept = mutable if isinstance(node.op, ast.Add) or UNKNOWN not in new else frozenset()
    rest = old - kept
    other = binary(facts, node.target, node.op, rest, new, is_positive(node.value)) if rest else frozenset()
    facts.bind(node.target, kept | other)


def _for(facts: Facts, node: ast.For) -> None:
    facts.bind(node.target, facts.elements(facts.value(node.iter)))
    block(facts, [*node.body, *node.orelse])


def _with(facts: Facts, node: ast.With) -> None:
    """Follow a with statement. The value that a manager gives is unknown, but a file gives itself; the body's values
    stay known."""
    for item in node.items:
        values = facts.value(item.context_expr)
        if values == library.TEXT_FILE and isinstance(item.optional_vars, ast.Name):
            facts.bind(item.optional_vars, values)
            continue
        facts.escape(values)
        for part in facts.program.walk(item.optional_vars) if item.optional_vars else ():
            _lose(facts, part)
    block(facts, node.body)


def _return(facts: Facts, node: ast.Return) -> None:
    facts.give_back(node, facts.value(node.value) if node.value else NONE)


def _function(facts: Facts, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        facts.escape(facts.value(decorator))
    place = facts.place(facts.program.scopes.variable(node))
    followed = isinstance(node, ast.FunctionDef) and not node.decorator_list
    facts.join(place, {FunctionValue(node)} if followed else ANY)
    parameters(facts, node, node.args)
    block(facts, node.body)
    if node in facts.externally_callable:
        leave(facts, node, frozenset(facts.returned.get(node, ())))


def _class(facts: Facts, node: ast.ClassDef) -> None:
    """Note a class, which is not followed: the values stored in it are lost."""
    for part in [*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)]:
        facts.escape(facts.value(part))
    block(facts, node.body)
    scopes = facts.program.scopes
    for variable in [*(v for v in scopes.uses if v.scope is node), scopes.variable(node)]:
        facts.escape(frozenset(facts.place(variable)))
        facts.join(facts.place(variable), ANY)


def _import(facts: Facts, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        name = bound_name(alias)
        if isinstance(node, ast.Import):
            value = alias.name if alias.asname else name
        else:
            value = f"{node.module}.{alias.name}"
        place = facts.place(facts.program.scopes.owner(name, facts.program.scopes.scope[node]))
        facts.join(place, library.VALUES.get(value, frozenset({f"@{value}"})))


def _other(facts: Facts, node: ast.stmt) -> None:
    """Follow statements that only hold others, and note those that are not followed."""
    if isinstance(node, UNFOLLOWED):
        for part in facts.program.walk(node):
            _lose(facts, part)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            block(facts, [child])
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            _lose(facts, child)
            block(facts, child.body)
        elif isinstance(child, ast.expr) and not isinstance(node, ast.Delete):
            facts.value(child)


def _lose(facts: Facts, part: ast.AST) -> None:
    """Note that a name, a pattern or `except ... as name` binds an unknown value, or that an expression is given
    away."""
    if isinstance(part, ast.Name | ast.pattern | ast.ExceptHandler):
        bound = [variable for variable, use in facts.program.scopes.names.get(part, ()) if use.kind == "store"]
        for variable in bound:
            facts.join(facts.place(variable), ANY)
    if isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
        facts.escape(facts.value(part))


STATEMENTS: dict[type, Callable[[Facts, Any], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.With: _with,
    ast.Return: _return,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
