"""What may leave the sight of the analysis: containers that others hold, that get shorter, that never change."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import UNKNOWN, Container

SHRINKING = frozenset({"pop", "popleft", "popitem", "remove", "clear", "discard"})


@dataclass(frozen=True, eq=False)
class Escape:
    """Asked of one program."""

    program: Syntax
    types: Types

    def called_from_outside(self) -> list[ast.AST]:
        """Functions that code may call which is not followed, and generators, which go on when they are asked."""
        yields = [*self.program.of_kind(ast.Yield), *self.program.of_kind(ast.YieldFrom)]
        return [*self.types.given_away(), *{self.program.scopes.scope[node] for node in yields}]

    @cached_property
    def shrunk(self) -> frozenset[object]:
        """Containers that lose elements somewhere in the program."""
        found: set[object] = set()
        for node in self.program.walk():
            match node:
                case ast.Call(func=ast.Attribute(value, name)) if name in SHRINKING:
                    found |= self.types.of(value)
                case ast.Call(args=[value, *_]) if self.types.comes_from(node.func, "heapq"):
                    found |= self.types.of(value)
                case ast.Subscript(value, ctx=ast.Del()) | ast.Subscript(value, ast.Slice(), ast.Store()):
                    found |= self.types.of(value)
                case ast.AugAssign(target, ast.Mult()):
                    found |= self.types.of(target)
        return frozenset(value for value in found if isinstance(value, Container) or value == UNKNOWN)
