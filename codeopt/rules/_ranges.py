"""Is an index certainly within a list? Intervals of counting loops against the length that the list was made with."""

from __future__ import annotations

import ast
from collections import Counter
from functools import lru_cache

from codeopt.rules._bounds import definition, linear, loops_around
from codeopt.rules._module import Module
from codeopt.rules._plain import stored_in
from codeopt.rules._types import Types
from codeopt.rules._values import UNKNOWN, Container

Sum = Counter[str]

SHRINKING = frozenset({"pop", "popleft", "popitem", "remove", "clear", "discard"})


def index_is_valid(module: Module, types: Types, name: ast.Name, index: ast.expr, where: ast.AST) -> bool:
    """`name[index]` cannot fail at `where`: inside all the loops around it, it is evaluated or not."""
    length = length_of(module, types, name)
    low, high = _bound(module, index, where, upper=False), _bound(module, index, where, upper=True)
    if length is None or low is None or high is None or any(count for key, count in low.items() if key):
        return False
    length.subtract(high)
    spare = length[""] - 1
    fits = spare >= 0 and all(not count for key, count in length.items() if key)
    return fits and (low[""] >= 0 or spare >= -2 * low[""] - 1)


def length_of(module: Module, types: Types, name: ast.Name) -> Sum | None:
    """The least length of a list that is bound once, as a sum; None when it is not known or the list may shrink."""
    made = definition(module, name)
    containers = types.containers(name, "list", "tuple")
    if made is None or not containers or any(c.escaped or c in shrunk(module, types) for c in containers):
        return None
    return _made_length(module, types, made, name)


def _made_length(module: Module, types: Types, made: ast.expr, name: ast.Name) -> Sum | None:
    at = next(p for p in module.scopes.parents(made) if isinstance(p, ast.stmt))
    match made:
        case ast.ListComp(generators=[ast.comprehension(iter=source, ifs=[])]):
            return _iterations(module, types, source, at)
        case ast.List(elts=[]):
            return _appended(module, types, name)
        case ast.List(elts) if not any(isinstance(part, ast.Starred) for part in elts):
            return Counter({"": len(elts)})
        case ast.BinOp(ast.List(elts=[_]), ast.Mult(), count) | ast.BinOp(count, ast.Mult(), ast.List(elts=[_])):
            return linear(module, count, at)
        case ast.BinOp(left, ast.Add(), right):
            a, b = (_made_length(module, types, part, name) for part in (left, right))
            if a is None or b is None:
                return None
            a.update(b)
            return a
    return None


def _iterations(module: Module, types: Types, source: ast.expr, at: ast.stmt) -> Sum | None:
    match source:
        case ast.Call(func, [stop], []) if module.scopes.is_builtin(func, "range"):
            return linear(module, stop, at)
        case ast.Name():
            return length_of(module, types, source)
    return None


def _appended(module: Module, types: Types, name: ast.Name) -> Sum | None:
    """The length of an empty list to which one counting loop appends once a round."""
    variable = module.scopes.variable(name)
    found = []
    for use in module.scopes.all_uses(variable):
        parent = module.scopes.parent[use.node]
        if isinstance(parent, ast.Attribute) and parent.attr == "append":
            found.append(module.scopes.parent[module.scopes.parent[parent]])
    match [(f, module.scopes.parent[f]) for f in found]:
        case [(ast.Expr() as append, ast.For(iter=source, body=body, orelse=[]) as loop)] if append in body:
            leaves = any(isinstance(n, ast.Break | ast.Continue | ast.Return | ast.Try) for n in module.walk(loop))
            made = [module.scopes.parent[module.scopes.parent[use.node]] for use in module.scopes.stores(variable)]
            same = [*made, module.scopes.parent[loop]] == [variable.scope, variable.scope]
            if same and not leaves and name.lineno > (loop.end_lineno or 0):
                return _iterations(module, types, source, loop)
    return None


def _bound(module: Module, node: ast.expr, where: ast.AST, *, upper: bool) -> Sum | None:
    """The greatest or least value of a sum in the rounds of the counting loops around `where`."""
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
            minus = isinstance(operator, ast.Sub)
            a = _bound(module, left, where, upper=upper)
            b = _bound(module, right, where, upper=upper != minus)
            if a is None or b is None:
                return None
            for name, count in b.items():
                a[name] += -count if minus else count
            return a
        case ast.Name():
            found_loop = counted(module, node, where)
            if found_loop is not None:
                loop, first, stop = found_loop
                found = _bound(module, stop if upper else first, loop, upper=upper)
                if found is not None and upper:
                    found[""] -= 1
                return found
    return linear(module, node)


def counted(module: Module, name: ast.Name, where: ast.AST) -> tuple[ast.For, ast.expr, ast.expr] | None:
    """The loop `for name in range(first, stop)` around, when nothing else in it binds the name."""
    for loop in loops_around(module, where):
        if not isinstance(loop, ast.For) or not stored_in(module, loop, module.scopes.variable(name)):
            continue
        if not isinstance(loop.target, ast.Name) or any(
            stored_in(module, part, module.scopes.variable(name)) for part in loop.body
        ):
            return None
        match loop.iter:
            case ast.Call(func, [stop], []) if module.scopes.is_builtin(func, "range"):
                return loop, ast.Constant(0), stop
            case ast.Call(func, [first, stop], []) if module.scopes.is_builtin(func, "range"):
                return loop, first, stop
        return None
    return None


@lru_cache(maxsize=16)
def shrunk(module: Module, types: Types) -> frozenset[object]:
    """Containers that lose elements somewhere in the program."""
    found: set[object] = set()
    for node in module.walk():
        match node:
            case ast.Call(func=ast.Attribute(value, name)) if name in SHRINKING:
                found |= types.of(value)
            case ast.Call(args=[value, *_]) if any(str(v).startswith("@heapq.") for v in types.of(node.func)):
                found |= types.of(value)
            case ast.Subscript(value, ctx=ast.Del()) | ast.Subscript(value, ast.Slice(), ast.Store()):
                found |= types.of(value)
            case ast.AugAssign(target, ast.Mult()):
                found |= types.of(target)
    return frozenset(value for value in found if isinstance(value, Container) or value == UNKNOWN)
