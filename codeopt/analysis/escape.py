"""Containers out of the analysis' sight: held by others, shrinking somewhere, or never changed."""

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
    """The containers and functions of one program that code which is not followed may hold."""

    program: Syntax
    types: Types

    def called_from_outside(self) -> list[ast.AST]:
        """Functions that unfollowed code may call, and generators, which such code may resume."""
        yields = [*self.program.of_kind(ast.Yield), *self.program.of_kind(ast.YieldFrom)]
        return [*self.types.given_away(), *{self.program.scopes.scope[node] for node in yields}]

    @cached_property
    def shrunk(self) -> frozenset[object]:
        """Containers that lose elements somewhere in the program."""
        found: set[object] = set()
        for node, owner in self._changes:
            match node:
                case ast.Call(func=ast.Attribute(value, name)) if value is owner and name not in SHRINKING:
                    continue
                case ast.Subscript(slice=index, ctx=ast.Store()) if not isinstance(index, ast.Slice):
                    continue
                case ast.AugAssign(op=operator) if not isinstance(operator, ast.Mult):
                    continue
            found |= self.types.of(owner)
        return frozenset(value for value in found if isinstance(value, Container) or value == UNKNOWN)

    def changes(self, container: Container) -> list[ast.AST]:
        """Places where the program may change a container: method calls, stores by subscript, `+=` and its like, calls
        of heapq."""
        return [node for node, owner in self._changes if container in self.types.of(owner)]

    @cached_property
    def _changes(self) -> list[tuple[ast.AST, ast.expr]]:
        """Each such place, with the containers that it may change."""
        found: list[tuple[ast.AST, ast.expr]] = []
        for node in self.program.nodes(ast.Call, ast.Subscript, ast.AugAssign):
            if isinstance(node, ast.Call) and node.args and self.types.comes_from(node.func, "heapq"):
                found.append((node, node.args[0]))
            match node:
                case ast.Call(func=ast.Attribute(owner)):
                    found.append((node, owner))
                case ast.Subscript(owner, ctx=ast.Store() | ast.Del()) | ast.AugAssign(owner):
                    found.append((node, owner))
        return found
