"""Code that runs again and again, and the place before it where something could be computed once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codeopt.analysis.bounds import Bounds
from codeopt.analysis.effects import EffectAnalysis
from codeopt.analysis.nesting import Liveness, Nesting
from codeopt.analysis.nodes import names_in
from codeopt.analysis.scopes import Function
from codeopt.analysis.syntax import RefusalReason, Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import SCALARS, UNKNOWN, Container, hashable

CONSUMERS = ("sum", "any", "all", "max", "min", "sorted", "list", "set", "tuple", "dict", "len")
"""Builtins that use up a generator at once."""


@dataclass(eq=False)
class Loops(Nesting):
    types: Types
    effects: EffectAnalysis
    liveness: Liveness
    bounds: Bounds

    def cannot_fail(self, test: ast.expr, loop: ast.For | ast.comprehension) -> bool:
        """Whether the expression raises nothing in any round of the loop, and has no effects."""
        sure = LoopTests(self.program, self.types, self.liveness, self.bounds, loop).cannot_fail(test)
        return self.program.refusals.unless(sure, RefusalReason.MAY_FAIL, test)

    def outermost_keeping(self, node: ast.expr, values: ast.Name) -> ast.stmt | None:
        """The outermost loop around the node that leaves the container as it is: a copy can be made before that
        loop."""
        return self.outermost(node, [values], lambda place: self.effects.of(place).keeps_contents(values))

    def outermost_same(self, node: ast.expr) -> ast.stmt | None:
        """The outermost loop around the node in which its value is always the same."""
        return self.outermost(node, self.program.names(node), lambda place: self.effects.of(place).keeps(node))

    def keeps(self, loop: ast.stmt, node: ast.expr) -> bool:
        """Whether the expression has its value before the loop, and the same one in each of its rounds."""
        bound = all(self.liveness.bound_before(name, loop) for name in self.program.names(node))
        return bound and self.effects.of(loop).keeps(node)

    def outermost(
        self, node: ast.expr, names: Iterable[ast.Name], keeps: Callable[[ast.stmt], bool]
    ) -> ast.stmt | None:
        """The outermost loop around the node, or statement of a comprehension around it, that changes nothing it needs.

        The names have to be bound before it. None if even the innermost place changes something.

        keeps: whether a place changes nothing.
        """
        best: ast.stmt | None = None
        names = list(names)
        statement = self.repeating_statement(node)
        places: list[ast.stmt] = [statement] if statement is not None else []
        for place in [*places, *self.around(node)]:
            bound = self.program.alone(place) and all(self.liveness.bound_before(name, place) for name in names)
            if not bound or not keeps(place):
                break
            best = place
        return best

    def repeating_statement(self, node: ast.expr) -> ast.stmt | None:
        """The simple statement around a comprehension that evaluates the node once an element."""
        repeated = False
        for parent, again in self.rounds(node):
            if isinstance(parent, Function) or (isinstance(parent, ast.GeneratorExp) and not self.uses_up(parent)):
                return None
            repeated = repeated or again
            if isinstance(parent, ast.stmt):
                simple = isinstance(parent, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.Return | ast.Expr)
                return parent if repeated and simple else None
        return None

    def uses_up(self, generator: ast.GeneratorExp) -> bool:
        """Whether the code around the generator goes through all of it at once."""
        parent = self.scopes.parent[generator]
        if self.program.calls_builtin(parent, *CONSUMERS):
            return True
        return isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute) and parent.func.attr == "join"


# Tests of a loop that can neither fail nor do anything, in no round: they may be asked less often.

ORDERED = ast.Lt | ast.LtE | ast.Gt | ast.GtE


@dataclass(frozen=True, eq=False)
class LoopTests:
    """The tests of one loop, or of the loop of a comprehension, in which only its own variables are sure to be
    bound."""

    program: Syntax
    types: Types
    liveness: Liveness
    bounds: Bounds
    loop: ast.For | ast.comprehension

    def cannot_fail(self, node: ast.expr) -> bool:
        """Whether the expression raises nothing in any round of the loop, and has no effects."""
        match node:
            case ast.Constant():
                return True
            case ast.Name(name):
                own = name in names_in([self.loop.target])
                return own or (isinstance(self.loop, ast.For) and self.liveness.bound_before(node, self.loop))
            case ast.BoolOp(values=values):
                return self._safe(*values) and all(self._known(value) for value in values)
            case ast.UnaryOp(ast.Not(), operand):
                return self._safe(operand) and self._known(operand)
            case ast.UnaryOp(ast.USub(), operand):
                return self._safe(operand) and self.types.is_int(operand)
            case ast.Compare(left, operators, others):
                pairs = zip([left, *others], operators, others, strict=False)
                return self._safe(left, *others) and all(self._compares(a, operator, b) for a, operator, b in pairs)
            case ast.Subscript(ast.Name() as values, index):
                return self._safe(values, index) and self._within(values, index)
        return self._computes(node)

    def _computes(self, node: ast.expr) -> bool:
        """Whether the expression is arithmetic of whole numbers, or a builtin that takes any value."""
        match node:
            case ast.BinOp(left, operator, right) if self.types.is_int(left, right):
                divides = isinstance(operator, ast.Mod | ast.FloorDiv) and self._not_zero(right)
                parts = all(self.cannot_fail(part) for part in (left, right))
                return parts and (divides or isinstance(operator, ast.Add | ast.Sub | ast.Mult))
            case ast.Call(args=[ast.Name() as value]) if self.program.calls_builtin(node, "len"):
                sized = self.types.is_text(value) or bool(self.types.containers(value, "list", "tuple", "set", "dict"))
                return sized and self.cannot_fail(value)
            case ast.Call(args=[value]) if self.program.calls_builtin(node, "abs"):
                return self.types.is_int(value) and self.cannot_fail(value)
        return False

    def _known(self, node: ast.expr) -> bool:
        """Whether the truth of the value is decided without code of a class of the program."""
        values = self.types.of(node)
        return bool(values) and UNKNOWN not in values

    def _compares(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool:
        if isinstance(operator, ast.Is | ast.IsNot):
            return True
        if isinstance(operator, ast.In | ast.NotIn):
            if self.types.is_text(left, right):
                return True
            return hashable(self.types.of(left)) and _flat(self.types.containers(right, "list", "tuple", "set", "dict"))
        if isinstance(operator, ORDERED):
            return self.types.is_number(left, right) or self.types.is_text(left, right)
        return all(
            self.types.is_scalar(part) or _flat(self.types.containers(part, "list", "tuple", "set"))
            for part in (left, right)
        )

    def _not_zero(self, node: ast.expr) -> bool:
        """Whether the expression is a constant other than zero, or the counter of a range that starts above zero and
        goes up."""
        value = self.bounds.constant(node)
        if value is not None:
            return value != 0
        counted = self.program.range_bounds(self.loop.iter)
        match node, self.loop.target:
            case ast.Name(name), ast.Name(counter) if name == counter and counted is not None:
                first = self.bounds.constant(counted[0])
                return first is not None and first > 0
        return False

    def _within(self, values: ast.Name, index: ast.expr) -> bool:
        """Whether `values[i]` is valid: for `i in range(len(values))`, or by the bounds."""
        counted = self.program.range_bounds(self.loop.iter)
        match index, self.loop.target, counted:
            case ast.Name(name), ast.Name(counter), (start, ast.Call(args=[ast.Name(whole)]) as length):
                counts = name == counter and whole == values.id and self.program.calls_builtin(length, "len")
                known = self.types.is_text(values) or bool(self.types.containers(values, "list", "tuple"))
                first = self.bounds.constant(start)
                if counts and known and first is not None and first >= 0:
                    return True
        return isinstance(self.loop, ast.For) and self.bounds.index_is_valid(values, index, self.loop.body[0])

    def _safe(self, *parts: ast.expr) -> bool:
        return all(self.cannot_fail(part) for part in parts)


def _flat(containers: list[Container]) -> bool:
    return bool(containers) and all((c.keys if c.kind == "dict" else c.elements) <= SCALARS for c in containers)
