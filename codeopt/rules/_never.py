"""Tests of a loop that can neither fail nor do anything, in no round: they may be asked less often."""

from __future__ import annotations

import ast

from codeopt.rules._bounds import bound_before, constant
from codeopt.rules._hoist import hashable
from codeopt.rules._module import Module
from codeopt.rules._plain import builtin_call, names_in
from codeopt.rules._ranges import index_is_valid
from codeopt.rules._types import Types
from codeopt.rules._values import SCALARS, UNKNOWN, Container

ORDERED = ast.Lt | ast.LtE | ast.Gt | ast.GtE


def cannot_fail(module: Module, types: Types, node: ast.expr, loop: ast.For) -> bool:
    """The expression raises nothing in any round of the loop, and has no effects."""

    def safe(*parts: ast.expr) -> bool:
        return all(cannot_fail(module, types, part, loop) for part in parts)

    match node:
        case ast.Constant():
            return True
        case ast.Name(name):
            return name in names_in([loop.target]) or bound_before(module, node, loop)
        case ast.BoolOp(values=values):
            return safe(*values) and all(_known(types, value) for value in values)
        case ast.UnaryOp(ast.Not(), operand):
            return safe(operand) and _known(types, operand)
        case ast.UnaryOp(ast.USub(), operand):
            return safe(operand) and types.is_int(operand)
        case ast.Compare(left, operators, others):
            pairs = zip([left, *others], operators, others, strict=False)
            return safe(left, *others) and all(_compares(types, a, operator, b) for a, operator, b in pairs)
        case ast.Subscript(ast.Name() as values, index):
            return safe(values, index) and _within(module, types, values, index, loop)
    return _computes(module, types, node, loop)


def _computes(module: Module, types: Types, node: ast.expr, loop: ast.For) -> bool:
    """Arithmetic of whole numbers, and builtins that take whatever it is."""
    match node:
        case ast.BinOp(left, operator, right) if types.is_int(left, right):
            divides = isinstance(operator, ast.Mod | ast.FloorDiv) and _not_zero(module, right, loop)
            parts = all(cannot_fail(module, types, part, loop) for part in (left, right))
            return parts and (divides or isinstance(operator, ast.Add | ast.Sub | ast.Mult))
        case ast.Call(args=[ast.Name() as value]) if builtin_call(module, node, "len"):
            sized = types.is_text(value) or bool(types.containers(value, "list", "tuple", "set", "dict"))
            return sized and cannot_fail(module, types, value, loop)
        case ast.Call(args=[value]) if builtin_call(module, node, "abs"):
            return types.is_int(value) and cannot_fail(module, types, value, loop)
    return False


def _known(types: Types, node: ast.expr) -> bool:
    """Its truth is asked of no class of the program."""
    values = types.of(node)
    return bool(values) and UNKNOWN not in values


def _compares(types: Types, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
    if isinstance(operator, ast.Is | ast.IsNot):
        return True
    if isinstance(operator, ast.In | ast.NotIn):
        if types.is_text(left, right):
            return True
        return hashable(types.of(left)) and _flat(types.containers(right, "list", "tuple", "set", "dict"))
    if isinstance(operator, ORDERED):
        return types.is_number(left, right) or types.is_text(left, right)
    return all(types.is_scalar(part) or _flat(types.containers(part, "list", "tuple", "set")) for part in (left, right))


def _flat(containers: list[Container]) -> bool:
    return bool(containers) and all((c.keys if c.kind == "dict" else c.elements) <= SCALARS for c in containers)


def _not_zero(module: Module, node: ast.expr, loop: ast.For) -> bool:
    """A constant, or the counter of a range that starts above zero and goes up."""
    value = constant(module, node)
    if value is not None:
        return value != 0
    match node, loop.target, loop.iter:
        case ast.Name(name), ast.Name(counter), ast.Call(func, [start, _], []) if name == counter:
            first = constant(module, start)
            return module.scopes.is_builtin(func, "range") and first is not None and first > 0
    return False


def _within(module: Module, types: Types, values: ast.Name, index: ast.expr, loop: ast.For) -> bool:
    """`values[i]` for `i in range(len(values))`, or an index that shows to be valid."""
    match index, loop.target, loop.iter:
        case ast.Name(name), ast.Name(counter), ast.Call(
            func, [*start, ast.Call(args=[ast.Name(whole)]) as length], []
        ):
            counts = name == counter and whole == values.id and builtin_call(module, length, "len")
            known = types.is_text(values) or bool(types.containers(values, "list", "tuple"))
            first = constant(module, start[0]) if start else 0
            positive = len(start) < 2 and first is not None and first >= 0
            if counts and known and positive and module.scopes.is_builtin(func, "range"):
                return True
    return index_is_valid(module, types, values, index, loop.body[0])
