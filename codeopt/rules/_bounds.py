"""What can be shown about numbers and lengths without running: constants, and sums of names."""

from __future__ import annotations

import ast
from collections import Counter

from codeopt.rules._module import Module, last_line
from codeopt.rules._plain import block_of
from codeopt.rules._scopes import Variable

LIMIT = 1 << 64


def constant(module: Module, node: ast.expr) -> int | None:
    """The value of an expression of whole numbers and of names that are bound once, to such an expression."""
    match node:
        case ast.Constant(bool()):
            return None
        case ast.Constant(int(value)):
            return value
        case ast.UnaryOp(ast.USub(), operand):
            inner = constant(module, operand)
            return None if inner is None else -inner
        case ast.BinOp(left, operator, right):
            a, b = constant(module, left), constant(module, right)
            return None if a is None or b is None else _combine(operator, a, b)
        case ast.Name():
            made = definition(module, node)
            return constant(module, made) if made is not None else None
    return None


def _combine(operator: ast.operator, a: int, b: int) -> int | None:
    match operator:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult() if abs(a) < LIMIT and abs(b) < LIMIT:
            return a * b
        case ast.Pow() if 0 <= b < 64 and abs(a) < 1000:
            return int(a**b)
        case ast.LShift() if 0 <= b < 64 and abs(a) < LIMIT:
            return a << b
    return None


def definition(module: Module, name: ast.Name) -> ast.expr | None:
    """What a name is bound to, when that is its only binding; whether it is bound yet is another question."""
    stores = module.scopes.stores(module.scopes.variable(name))
    if len(stores) != 1:
        return None
    parent = module.scopes.parent.get(stores[0].node)
    if isinstance(parent, ast.Assign) and parent.targets == [stores[0].node]:
        return parent.value
    return None


def linear(module: Module, node: ast.expr, at: ast.stmt | None = None) -> Counter[str] | None:
    """The expression as a sum of names, each times a number; the constant part has the empty name. None: no such sum.

    Only names that are bound in one place take part, so that two sums of the same names can be compared. With `at`, a
    name that is bound in a loop has to be bound before that statement in the same round.
    """
    value = constant(module, node)
    if value is not None:
        return Counter({"": value})
    match node:
        case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
            a, b = linear(module, left, at), linear(module, right, at)
            if a is None or b is None:
                return None
            for name, count in b.items():
                a[name] += count if isinstance(operator, ast.Add) else -count
            return a
        case ast.Name(name):
            stores = module.scopes.stores(module.scopes.variable(node))
            if len(stores) == 1 and (at is None or _once(module, stores[0].node) or bound_before(module, node, at)):
                return Counter({f"{name} {getattr(stores[0].node, 'lineno', 0)}": 1})
    return None


def _once(module: Module, store: ast.AST) -> bool:
    return not loops_around(module, store) and not isinstance(module.scopes.parent.get(store), ast.For)


def bound_before(module: Module, name: ast.Name, statement: ast.stmt) -> bool:
    """The variable certainly has a value when `statement` starts."""
    variable = module.scopes.variable(name)
    function = module.scopes.scope[statement]
    if variable.scope is None:
        return True
    if variable.scope is not function:
        return False
    if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) and name.id in {
        a.arg for a in module.walk(function.args) if isinstance(a, ast.arg)
    }:
        return not _deleted(module, variable)
    return not _deleted(module, variable) and _stored_above(module, variable, statement)


def _deleted(module: Module, variable: Variable) -> bool:
    """Something unbinds it: del, or the end of `except ... as name`."""
    stores = module.scopes.stores(variable)
    return any(use.kind == "del" or isinstance(use.node, ast.ExceptHandler) for use in stores)


def _stored_above(module: Module, variable: Variable, statement: ast.stmt) -> bool:
    """A statement that runs before, on every path, stores it."""
    stores = [use.node for use in module.scopes.stores(variable)]
    here: ast.AST = statement
    while isinstance(here, ast.stmt):
        block = block_of(module, here)
        if any(_binds(module, earlier, stores) for earlier in block[: block.index(here)]):
            return True
        parent = module.scopes.parent.get(here)
        if isinstance(parent, ast.For) and here in parent.body and _holds_one(module, parent.target, stores):
            return True
        if parent is None or parent is variable.scope:
            return False
        here = parent
    return False


def _binds(module: Module, statement: ast.stmt, stores: list[ast.AST]) -> bool:
    """The statement makes one of the stores whenever it runs."""
    match statement:
        case ast.Assign(targets):
            return any(_holds_one(module, target, stores) for target in targets)
        case ast.AugAssign(target) | ast.AnnAssign(target, value=ast.expr()):
            return _holds_one(module, target, stores)
    return statement in stores


def _holds_one(module: Module, target: ast.expr, stores: list[ast.AST]) -> bool:
    return any(module.holds(target, store) for store in stores)


def loops_around(module: Module, node: ast.AST) -> list[ast.For | ast.While]:
    """The loops of the same function that run the node again and again, innermost first."""
    found: list[ast.For | ast.While] = []
    child = node
    for parent in module.scopes.parents(node):
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            break
        runs = isinstance(parent, ast.For) and child in parent.body
        if runs or (isinstance(parent, ast.While) and child not in parent.orelse):
            assert isinstance(parent, ast.For | ast.While)
            found.append(parent)
        child = parent
    return found


def spans_lines(node: ast.expr) -> bool:
    """The expression goes over more than one line."""
    return node.lineno != last_line(node)
