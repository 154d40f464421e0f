"""The changes that running a piece of code may make: to variables, to containers, or unknown ones."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from codeopt.analysis.purity import Purity
from codeopt.analysis.refusals import RefusalReason
from codeopt.analysis.scopes import Variable
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.types import Types
from codeopt.analysis.values import SCALARS, Container


@dataclass
class Effects:
    """The effects of some code, added up."""

    program: Syntax = field(repr=False)
    types: Types = field(repr=False)
    purity: Purity = field(repr=False)
    stored: set[Variable] = field(default_factory=set)
    changed: set[Container] = field(default_factory=set)
    """Containers whose elements may change."""
    resized: set[Container] = field(default_factory=set)
    """Containers whose number of elements may change."""
    called: set[ast.AST] = field(default_factory=set)
    """Functions of the program that may run."""
    unknown: bool = False
    """Code that is not followed runs: it may change all that it can reach."""
    objects: bool = False
    """An object of one of the program's classes may take part, whose operators mean what its class says."""
    io: bool = False
    """The code prints, reads, leaves, or asks for the time or a random number: its order and number can be seen."""

    def add(self, other: Effects) -> None:
        """Add the effects of other code."""
        self.stored |= other.stored
        self.changed |= other.changed
        self.resized |= other.resized
        self.called |= other.called
        self.unknown |= other.unknown
        self.objects |= other.objects
        self.io |= other.io

    def keeps(self, node: ast.expr) -> bool:
        """Return whether an expression of plain operations and quiet calls has the same value before and after."""
        return all(self._noted(self._keeps_part(part), part) for part in self.program.walk(node))

    def _noted(self, kept: bool, node: ast.AST) -> bool:
        """Return whether the node stays the same; where it does not, note the reason."""
        return self.program.refusals.unless(
            kept, RefusalReason.UNKNOWN_CODE if self.unknown else RefusalReason.CHANGED, node
        )

    def _keeps_part(self, part: ast.AST) -> bool:
        match part:
            case ast.Name():
                variable = self.program.scopes.variable(part)
                if variable in self.stored:
                    return False
                return not self.unknown or variable.scope is None or self.purity.only_stored_here(part)
            case ast.Call(ast.Name("len"), [value]):
                return self.types.is_text(value) or self.keeps_container(value, self.resized)
            case ast.Call(ast.Attribute(value), arguments):
                return all(self._keeps_inside(one) for one in [value, *arguments])
            case ast.Subscript(value) | ast.Call(args=[value]):
                return self._keeps_inside(value)
        return True

    def _keeps_inside(self, node: ast.expr) -> bool:
        """Whether everything inside the expression stays as it is."""
        values = self.types.of(node)
        if values and (values <= SCALARS or all(isinstance(v, str) and v.startswith("@") for v in values)):
            return True
        return self.keeps_container(node, self.changed | self.resized)

    def keeps_contents(self, node: ast.Name) -> bool:
        """Whether the name represents the same text or container before and after, with the same content all the way
        down."""
        inside = self.types.is_text(node) or self.keeps_container(node, self.changed | self.resized)
        return self.keeps(node) and inside

    def keeps_container(self, node: ast.expr, touched: set[Container]) -> bool:
        """Return whether none of the containers that the expression may be is among those that are touched."""
        values = self.types.of(node)
        containers = [value for value in values if isinstance(value, Container)]
        if not values or len(containers) < len(values):
            return False
        same = not any(container.may_be(other) for container in containers for other in touched)
        hidden = not self.unknown or not any(container.escaped for container in containers)
        return self._noted(same and hidden, node)
