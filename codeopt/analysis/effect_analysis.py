"""The effects of a piece of code, with those that no call shows: special methods, and what others may call."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from codeopt.analysis.effect_walk import EffectWalk
from codeopt.analysis.effects import Effects
from codeopt.analysis.escape import Escape
from codeopt.analysis.purity import Purity
from codeopt.analysis.scopes import Function
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import FunctionValue

SEEN = frozenset({"__init__", "__new__", "__call__", "__enter__", "__exit__"})
"""Special methods that only run where the program calls something or has a `with`, which counts as unknown."""


@dataclass(eq=False)
class EffectAnalysis:
    """The effects of the parts of one program."""

    program: Syntax
    types: Types
    purity: Purity
    escape: Escape
    known: dict[tuple[ast.AST, ...], Effects] = field(default_factory=dict)

    def of(self, *nodes: ast.AST) -> Effects:
        """The effects of the nodes and of the functions of the program that they call."""
        if nodes not in self.known:
            self.known[nodes] = self._summed_up(nodes)
        return self.known[nodes]

    def _summed_up(self, nodes: tuple[ast.AST, ...]) -> Effects:
        effects = self._none()
        walk = EffectWalk(self.program, self.types, effects)
        for node in nodes:
            walk.visit(node)
        effects.objects |= effects.unknown or "__del__" in self.program.words  # which runs at any time
        if effects.objects:
            effects.unknown |= self.purity.redefines_operators
            effects.add(self._implicit)
        if effects.unknown:  # it may call every function that was given away
            effects.add(self._called_from_outside)
        return effects

    @cached_property
    def _called_from_outside(self) -> Effects:
        return self._of_functions(self.escape.called_from_outside())

    @cached_property
    def _implicit(self) -> Effects:
        """The effects of special methods that no call shows: print(x) runs __str__, a loop __next__, and __del__ runs
        at any time."""
        parts = [part for node in self.program.of_kind(ast.ClassDef) for part in node.body]
        methods = [part for part in parts if isinstance(part, Function) and part.name.startswith("__")]
        return self._of_functions([method for method in methods if method.name not in SEEN])

    def _of_functions(self, functions: Iterable[ast.AST]) -> Effects:
        effects = self._none()
        values = frozenset(FunctionValue(f) for f in functions if isinstance(f, Function))
        EffectWalk(self.program, self.types, effects).run(values, called=True)
        return effects

    def _none(self) -> Effects:
        return Effects(self.program, self.types, self.purity)
