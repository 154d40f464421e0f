"""Numbers and lengths without running: constants, sums of names, and indexes that are certainly within a list."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from codeopt.analysis.effects import Escape
from codeopt.analysis.nesting import Liveness, Nesting
from codeopt.analysis.syntax import RefusalReason
from codeopt.analysis.types import Types

LIMIT = 1 << 64
LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Try)

Sum = Counter[str]
"""A sum of names, each with the number of times it is added; the constant part is under the empty name."""


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


def _added(a: Sum | None, operator: ast.operator, b: Sum | None) -> Sum | None:
    """`a + b` or `a - b`; None when one of them is not known."""
    if a is None or b is None:
        return None
    sign = -1 if isinstance(operator, ast.Sub) else 1
    return Counter({name: a[name] + sign * b[name] for name in a.keys() | b.keys()})


@dataclass(eq=False)
class Bounds(Nesting):
    """Intervals of counting loops in one program, compared with the lengths that its lists were made with."""

    liveness: Liveness
    types: Types
    escape: Escape

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
        """The expression that a name is bound to, when that is its only binding; it may not be bound yet at a given
        place."""
        match [(use.node, self.scopes.parent.get(use.node)) for use in self.scopes.stores(self.scopes.variable(name))]:
            case [(store, ast.Assign([target], value))] if target is store:
                return value
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
                return _added(self.linear(left, at), operator, self.linear(right, at))
            case ast.Name(name) if self.scopes.is_bound_once(node):
                (store,) = self.scopes.stores(self.scopes.variable(node))
                if at is None or not self.around(store.node) or self.liveness.bound_before(node, at):
                    return Counter({f"{name} {getattr(store.node, 'lineno', 0)}": 1})
        return None

    def index_is_valid(self, name: ast.Name, index: ast.expr, where: ast.AST) -> bool:
        """Whether `name[index]` cannot fail at `where`, nor anywhere in the loops around it."""
        low, high = self._bound(index, where, upper=False), self._bound(index, where, upper=True)
        above, within = _added(self.length_of(name), ast.Sub(), high), False
        if above and low is not None and not any(count for key, count in [*low.items(), *above.items()] if key):
            spare = above[""] - 1
            within = spare >= 0 and (low[""] >= 0 or spare >= -2 * low[""] - 1)
        return self.program.refusals.unless(within, RefusalReason.INDEX, index)

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
                # The length of an empty list to which one counting loop appends once a round.
                variable = self.scopes.variable(name)
                found = []
                for use in self.scopes.all_uses(variable):
                    parent = self.scopes.parent[use.node]
                    if isinstance(parent, ast.Attribute) and parent.attr == "append":
                        found.append(self.scopes.parent[self.scopes.parent[parent]])
                match [(f, self.scopes.parent[f]) for f in found]:
                    case [(ast.Expr() as append, ast.For(iter=text, body=body, orelse=[]) as loop)] if append in body:
                        leaves = self.program.has(loop, *LEAVING)
                        stores = [self.scopes.parent[use.node] for use in self.scopes.stores(variable)]
                        homes = [self.scopes.parent[each] for each in [*stores, loop]]
                        same = homes == [variable.scope, variable.scope]
                        if same and not leaves and name.lineno > (loop.end_lineno or 0):
                            return self._iterations(text, loop)
                return None
            case ast.List(elts) if not any(isinstance(part, ast.Starred) for part in elts):
                return Counter({"": len(elts)})
            case ast.BinOp(ast.List(elts=[_]), ast.Mult(), count) | ast.BinOp(count, ast.Mult(), ast.List(elts=[_])):
                return self.linear(count, at)
            case ast.BinOp(left, ast.Add(), right):
                return _added(self._made_length(left, name), ast.Add(), self._made_length(right, name))
        return None

    def _iterations(self, source: ast.expr, at: ast.stmt) -> Sum | None:
        match source:
            case ast.Call(func, [stop], []) if self.scopes.is_builtin(func, "range"):
                return self.linear(stop, at)
            case ast.Name():
                return self.length_of(source)
        return None

    def _bound(self, node: ast.expr, where: ast.AST, *, upper: bool) -> Sum | None:
        """The greatest or least value of a sum in the rounds of the counting loops around `where`."""
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() as operator, right):
                other = self._bound(right, where, upper=upper != isinstance(operator, ast.Sub))
                return _added(self._bound(left, where, upper=upper), operator, other)
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
        for loop in self.around(where):
            if not isinstance(loop, ast.For) or not self.program.stores_in(loop, variable):
                continue
            if not isinstance(loop.target, ast.Name) or any(self.program.stores_in(p, variable) for p in loop.body):
                return None
            counted = self.program.range_bounds(loop.iter)
            return (loop, *counted) if counted is not None else None
        return None
