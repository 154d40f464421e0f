"""Expressions without effects: they may be evaluated once more, once less, or a little earlier."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property

from codeopt.analysis.nodes import is_simple
from codeopt.analysis.refusals import RefusalReason
from codeopt.analysis.syntax import Syntax

HARMLESS_METHODS = frozenset(
    ["__init__", "__repr__", "__str__", "__len__", "__call__", "__iter__", "__next__", "__slots__", "__doc__"]
)
"""Special methods that an operator, a subscript or an attribute never runs."""

VALUES = (ast.Name, ast.Constant, ast.expr_context)
OPERATIONS = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.operator, ast.unaryop, ast.cmpop)
PLACES = (ast.Subscript, ast.Attribute)


@dataclass(frozen=True, eq=False)
class Purity:
    """The purity of one program's expressions; its classes may give operators a meaning of their own."""

    program: Syntax

    def is_plain(self, node: ast.expr) -> bool:
        """Whether an expression holds only names, constants, arithmetic, comparisons, subscripts and attributes, and no
        class redefines those."""
        if self.program.is_made_of(node, VALUES):
            return True
        plain = self.program.is_made_of(node, VALUES + OPERATIONS + PLACES)
        return plain and self.program.refusals.unless(not self.redefines_operators, RefusalReason.OPERATORS, node)

    @cached_property
    def redefines_operators(self) -> bool:
        """Whether some class gives operators, subscripts or attributes a meaning of its own."""
        for node in self.program.of_kind(ast.ClassDef):
            names = self.program.scopes.bound[node]
            if any(name.startswith("__") and name not in HARMLESS_METHODS for name in names):
                return True
            if node.keywords or any(getattr(d, "decorator_list", []) for d in node.body):
                return True
        return bool({"property", "total_ordering", "setattr", "__get__"} & self.program.words)

    def is_cheap(self, node: ast.expr) -> bool:
        """Whether evaluating an expression twice is cheaper than a call: at most one operation on names and numbers."""
        match node:
            case ast.BinOp(left, ast.Add() | ast.Sub() | ast.Mult() | ast.FloorDiv() | ast.Mod(), right):
                return is_simple(left) and is_simple(right) and self.is_plain(node)
            case ast.Subscript(value, index):
                return is_simple(value) and self.is_cheap(index) and self.is_plain(node)
        return is_simple(node)

    def only_stored_here(self, node: ast.Name) -> bool:
        """Whether the variable is stored only in the scope of this use, so that no call can change it."""
        scopes = self.program.scopes
        scope, variable = scopes.scope[node], scopes.variable(node)
        return variable.scope is scope and all(use.scope is scope for use in scopes.stores(variable))
