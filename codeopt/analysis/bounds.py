"""Numbers and lengths without running: constants, sums of names, and indexes that are certainly within a list."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from codeopt.analysis.doubts import Doubt
from codeopt.analysis.escape import Escape
from codeopt.analysis.liveness import Liveness
from codeopt.analysis.nesting import loops_around
from codeopt.analysis.scopes import Scopes
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types

LIMIT = 1 << 64
LEAVING = ast.Break | ast.Continue | ast.Return | ast.Try

Sum = Counter[str]
"""Names, each with how many times it is added; under the empty name stands the constant part."""


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


@dataclass(frozen=True, eq=False)
class Bounds:
    """Asked of one program: intervals of counting loops against the lengths that lists were made with."""

    program: Syntax
    liveness: Liveness
    types: Types
    escape: Escape

    @property
    def scopes(self) -> Scopes:
        """Of the program."""
        return self.program.scopes

    def constant(self, node: ast.expr) -> int | None:
        """The value of an expression of whole numbers and of names that are bound once, to such an expression."""
        match node:
            case ast.Constant(bool()):
                return None
            case ast.Constant(int(value)):
                return value
            case ast.UnaryOp(ast.USub(), operand):
                inner = self.constant(operand)
                return None if inner is None else -inner
            case ast.BinOp(left, operator, right):
                a, b = self.constant(left), self.constant(right)
                return None if a is None or b is None else _combine(operator, a, b)
            case ast.Name():
                made = self.definition(node)
                return self.constant(made) if made is not None else None
        return None

    def definition(self, name: ast.Name) -> ast.expr | None:
        """What a name is bound to, when that is its only binding; whether it is bound yet is another question."""
        stores = self.scopes.stores(self.scopes.variable(name))
        if len(stores) != 1:
            return None
        parent = self.scopes.parent.get(stores[0].node)
        if isinstance(parent, ast.Assign) and parent.targets == [stores[0].node]:
            return parent.value
        return None

    def linear(self, node: ast.expr, at: ast.stmt | None = None) -> Sum | None:
        """The expression as a sum of names, each times a number, None when it is no such sum.

        The constant part has the empty name. Only names that are bound in one place take part, so that two
        sums of the same names can be compared. With `at`, a name that is bound in a loop has to be bound before that
        statement in the same round.
        """
        value = self.constant(node)
        if value is not None:
            return Counter({"": value})
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
                a, b = self.linear(left, at), self.linear(right, at)
                if a is None or b is None:
                    return None
                for name, count in b.items():
                    a[name] += count if isinstance(operator, ast.Add) else -count
                return a
            case ast.Name(name):
                stores = self.scopes.stores(self.scopes.variable(node))
                if len(stores) == 1 and (
                    at is None or self._once(stores[0].node) or self.liveness.bound_before(node, at)
                ):
                    return Counter({f"{name} {getattr(stores[0].node, 'lineno', 0)}": 1})
        return None

    def _once(self, store: ast.AST) -> bool:
        return not loops_around(self.program, store) and not isinstance(self.scopes.parent.get(store), ast.For)

    def index_is_valid(self, name: ast.Name, index: ast.expr, where: ast.AST) -> bool:
        """`name[index]` cannot fail at `where`: inside all the loops around it, it is evaluated or not."""
        valid = self._is_within(name, index, where)
        if not valid:
            self.program.doubts.note(Doubt.INDEX, index)
        return valid

    def _is_within(self, name: ast.Name, index: ast.expr, where: ast.AST) -> bool:
        length = self.length_of(name)
        low, high = self._bound(index, where, upper=False), self._bound(index, where, upper=True)
        if length is None or low is None or high is None or any(count for key, count in low.items() if key):
            return False
        length.subtract(high)
        spare = length[""] - 1
        fits = spare >= 0 and all(not count for key, count in length.items() if key)
        return fits and (low[""] >= 0 or spare >= -2 * low[""] - 1)

    def length_of(self, name: ast.Name) -> Sum | None:
        """The least length of a list that is bound once, as a sum; None when it is not known or the list may shrink."""
        made = self.definition(name)
        containers = self.types.containers(name, "list", "tuple")
        if made is None or not containers or any(c.escaped or c in self.escape.shrunk for c in containers):
            return None
        return self._made_length(made, name)

    def _made_length(self, made: ast.expr, name: ast.Name) -> Sum | None:
        at = next(p for p in self.scopes.parents(made) if isinstance(p, ast.stmt))
        match made:
            case ast.ListComp(generators=[ast.comprehension(iter=source, ifs=[])]):
                return self._iterations(source, at)
            case ast.List(elts=[]):
                return self._appended(name)
            case ast.List(elts) if not any(isinstance(part, ast.Starred) for part in elts):
                return Counter({"": len(elts)})
            case ast.BinOp(ast.List(elts=[_]), ast.Mult(), count) | ast.BinOp(count, ast.Mult(), ast.List(elts=[_])):
                return self.linear(count, at)
            case ast.BinOp(left, ast.Add(), right):
                a, b = (self._made_length(part, name) for part in (left, right))
                if a is None or b is None:
                    return None
                a.update(b)
                return a
        return None

    def _iterations(self, source: ast.expr, at: ast.stmt) -> Sum | None:
        match source:
            case ast.Call(func, [stop], []) if self.scopes.is_builtin(func, "range"):
                return self.linear(stop, at)
            case ast.Name():
                return self.length_of(source)
        return None

    def _appended(self, name: ast.Name) -> Sum | None:
        """The length of an empty list to which one counting loop appends once a round."""
        variable = self.scopes.variable(name)
        found = []
        for use in self.scopes.all_uses(variable):
            parent = self.scopes.parent[use.node]
            if isinstance(parent, ast.Attribute) and parent.attr == "append":
                found.append(self.scopes.parent[self.scopes.parent[parent]])
        match [(f, self.scopes.parent[f]) for f in found]:
            case [(ast.Expr() as append, ast.For(iter=source, body=body, orelse=[]) as loop)] if append in body:
                leaves = any(
                    isinstance(n, ast.Break | ast.Continue | ast.Return | ast.Try) for n in self.program.walk(loop)
                )
                made = [self.scopes.parent[self.scopes.parent[use.node]] for use in self.scopes.stores(variable)]
                same = [*made, self.scopes.parent[loop]] == [variable.scope, variable.scope]
                if same and not leaves and name.lineno > (loop.end_lineno or 0):
                    return self._iterations(source, loop)
        return None

    def _bound(self, node: ast.expr, where: ast.AST, *, upper: bool) -> Sum | None:
        """The greatest or least value of a sum in the rounds of the counting loops around `where`."""
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
                minus = isinstance(operator, ast.Sub)
                a = self._bound(left, where, upper=upper)
                b = self._bound(right, where, upper=upper != minus)
                if a is None or b is None:
                    return None
                for name, count in b.items():
                    a[name] += -count if minus else count
                return a
            case ast.Name():
                found_loop = self.counted(node, where)
                if found_loop is not None:
                    loop, first, stop = found_loop
                    found = self._bound(stop if upper else first, loop, upper=upper)
                    if found is not None and upper:
                        found[""] -= 1
                    return found
        return self.linear(node)

    def counted(self, name: ast.Name, where: ast.AST) -> tuple[ast.For, ast.expr, ast.expr] | None:
        """The loop `for name in range(first, stop)` around, when nothing else in it binds the name."""
        variable = self.scopes.variable(name)
        for loop in loops_around(self.program, where):
            if not isinstance(loop, ast.For) or not self.program.stores_in(loop, variable):
                continue
            if not isinstance(loop.target, ast.Name) or any(self.program.stores_in(p, variable) for p in loop.body):
                return None
            counted = self.program.range_bounds(loop.iter)
            return (loop, *counted) if counted is not None else None
        return None
