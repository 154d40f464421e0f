"""How values flow through statements: one small function a kind of statement. Part of the types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from codeopt.rules import _library as library
from codeopt.rules._expressions import binary, is_positive, load
from codeopt.rules._scopes import Variable
from codeopt.rules._values import ANY, NONE, UNKNOWN, Code, Container

if TYPE_CHECKING:
    from codeopt.rules._types import Types

UNFOLLOWED = (ast.With, ast.AsyncWith, ast.Match, ast.AsyncFor, ast.Delete, ast.Raise)
"""What goes into these is lost, and what they bind is unknown."""


def block(types: Types, body: Iterable[ast.stmt]) -> None:
    """Follow values through statements."""
    for statement in body:
        STATEMENTS.get(type(statement), _other)(types, statement)


def _assign(types: Types, node: ast.Assign) -> None:
    values = types.value(node.value)
    for target in node.targets:
        types.bind(target, values)


def _annotated(types: Types, node: ast.AnnAssign) -> None:
    if node.value:
        types.bind(node.target, types.value(node.value))


def _augmented(types: Types, node: ast.AugAssign) -> None:
    old, new = load(types, node.target), types.value(node.value)
    mutable = frozenset(v for v in old if isinstance(v, Container) and v.kind in ("list", "deque", "set", "dict"))
    for container in mutable:
        assert isinstance(container, Container)
        types.join(container.elements, types.elements(new))
        types.join(container.keys, types.elements(new) if container.kind == "dict" else ())
    kept = mutable if isinstance(node.op, ast.Add) or UNKNOWN not in new else frozenset()
    rest = old - kept
    other = binary(types, node.target, node.op, rest, new, is_positive(node.value)) if rest else frozenset()
    types.bind(node.target, kept | other)


def _for(types: Types, node: ast.For) -> None:
    types.bind(node.target, types.elements(types.value(node.iter)))
    block(types, [*node.body, *node.orelse])


def _return(types: Types, node: ast.Return) -> None:
    types.give_back(node, types.value(node.value) if node.value else NONE)


def _function(types: Types, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        types.escape(types.value(decorator))
    place = types.place(types.module.scopes.owner(node.name, types.module.scopes.scope[node]))
    loose = isinstance(node, ast.AsyncFunctionDef) or node in types.loose
    types.join(place, {Code(node)} if isinstance(node, ast.FunctionDef) and not loose else ANY)
    parameters(types, node, node.args)
    block(types, node.body)
    if loose:
        types.escape(frozenset(types.returned.get(node, ())))


def parameters(types: Types, node: ast.AST, arguments: ast.arguments) -> None:
    """What the parameters of a function or lambda may be, besides what its calls feed into them."""
    named = [*arguments.posonlyargs, *arguments.args]
    defaults = dict(zip(named[::-1], arguments.defaults[::-1], strict=False))
    defaults |= {arg: d for arg, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d}
    for arg in [*named, *arguments.kwonlyargs]:
        place = types.place(Variable(node, arg.arg))
        types.join(place, types.value(defaults[arg]) if arg in defaults else ())
        if node in types.loose:
            types.escape(frozenset(place))
            types.join(place, ANY)
    for extra in (arguments.vararg, arguments.kwarg):
        if extra:
            types.join(types.place(Variable(node, extra.arg)), ANY)


def _class(types: Types, node: ast.ClassDef) -> None:
    """Classes are not followed: what is stored in them is lost."""
    for part in [*node.bases, *node.decorator_list, *(keyword.value for keyword in node.keywords)]:
        types.escape(types.value(part))
    block(types, node.body)
    scopes = types.module.scopes
    for variable in [v for v in scopes.uses if v.scope is node] + [scopes.owner(node.name, scopes.scope[node])]:
        types.escape(frozenset(types.place(variable)))
        types.join(types.place(variable), ANY)


def _import(types: Types, node: ast.Import | ast.ImportFrom) -> None:
    for alias in node.names:
        name = alias.asname or alias.name.partition(".")[0]
        if isinstance(node, ast.Import):
            value = alias.name if alias.asname else name
        else:
            value = f"{node.module}.{alias.name}"
        place = types.place(types.module.scopes.owner(name, types.module.scopes.scope[node]))
        types.join(place, library.VALUES.get(value, frozenset({f"@{value}"})))


def _other(types: Types, node: ast.stmt) -> None:
    """Statements that only hold others, and those that are not followed."""
    if isinstance(node, UNFOLLOWED):
        for part in types.module.walk(node):
            _lose(types, part)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            block(types, [child])
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            _name_unknown(types, child)
            block(types, child.body)
        elif isinstance(child, ast.expr) and not isinstance(node, ast.Delete):
            types.value(child)


def _name_unknown(types: Types, node: ast.AST) -> None:
    """`except ... as name`, and what a pattern binds."""
    for name in (getattr(node, "name", None), getattr(node, "rest", None)):
        if isinstance(name, str):
            types.unknown(name, types.module.scopes.scope[node])


def _lose(types: Types, part: ast.AST) -> None:
    if isinstance(part, ast.pattern):
        _name_unknown(types, part)
    elif isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
        types.unknown(part.id, types.module.scopes.scope[part])
    elif isinstance(part, ast.expr) and not isinstance(getattr(part, "ctx", None), ast.Store):
        types.escape(types.value(part))


STATEMENTS: dict[type, Callable[[Types, Any], None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.For: _for,
    ast.Return: _return,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
}
