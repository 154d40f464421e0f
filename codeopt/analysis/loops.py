"""Code that runs again and again, and the place before it where something could be computed once."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from codeopt.analysis.bounds import Bounds
from codeopt.analysis.effects import EffectAnalysis
from codeopt.analysis.nesting import Liveness, Nesting
from codeopt.analysis.scopes import Function
from codeopt.analysis.types import Types

CONSUMERS = ("sum", "any", "all", "max", "min", "sorted", "list", "set", "tuple", "dict", "len")
"""Builtins that use up a generator at once."""


@dataclass(eq=False)
class Loops(Nesting):
    types: Types
    effects: EffectAnalysis
    liveness: Liveness
    bounds: Bounds

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
