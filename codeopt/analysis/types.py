"""The values that each expression of a program may have, found by following values through it until nothing new
appears."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property

from codeopt.analysis.expressions import value_of
from codeopt.analysis.facts import Facts
from codeopt.analysis.refusals import RefusalReason
from codeopt.analysis.scopes import Function
from codeopt.analysis.statements import block
from codeopt.analysis.syntax import Syntax
from codeopt.analysis.values import ANY, NUMBERS, SCALARS, STR, UNKNOWN, WHOLE, Container, Values, hashable

SIZED = ("list", "tuple", "set", "dict", "deque")
MAX_WALKS = 40
"""Most walks through a program, which settles in three to six; one that does not is not understood."""


class Types:
    """The types of one program; kept by the program."""

    def __init__(self, program: Syntax) -> None:
        self.program = program
        self.facts = Facts(program, value_of)
        self.answers: dict[ast.expr, Values] = {}

    @cached_property
    def understood(self) -> bool:
        """Whether following the values came to an end; done when the first question is asked."""
        for _ in range(MAX_WALKS):
            self.facts.begin()
            block(self.facts, self.program.tree.body)
            if not self.facts.changed:
                self.facts.settled = True
                return True
        return False

    def of(self, node: ast.expr) -> Values:
        """The values that the expression may have."""
        if not self.understood:
            return ANY
        if node not in self.answers:
            self.answers[node] = self.facts.value(node)
        return self.answers[node]

    def comes_from(self, node: ast.expr, library: str) -> bool:
        """Whether the value may be a function of this library."""
        return any(str(value).startswith(f"@{library}.") for value in self.of(node))

    def given_away(self) -> list[Function]:
        """Functions that unfollowed code may call."""
        return list(self.facts.externally_callable) if self.understood else []

    def is_int(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is an int (or a bool) whenever it is reached."""
        return self._are(nodes, WHOLE)

    def is_number(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is an int or a float."""
        return self._are(nodes, NUMBERS)

    def is_scalar(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text or None: it cannot change, and its operators have no
        effects."""
        return self._are(nodes, SCALARS)

    def is_text(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a str."""
        return self._are(nodes, STR)

    def is_hashable(self, *nodes: ast.expr) -> bool:
        """Whether each of the expressions is a number, text, None, or a tuple of such: equal ones have equal hashes,
        without effects."""
        return all(hashable(self._known(node)) for node in nodes)

    def _are(self, nodes: Iterable[ast.expr], kinds: Values) -> bool:
        return all(bool(values := self._known(node)) and values <= kinds for node in nodes)

    def _known(self, node: ast.expr) -> Values:
        values = self.of(node)
        if any(isinstance(value, str) and value.startswith((UNKNOWN, "@")) for value in values):
            self.program.refusals.note(RefusalReason.UNKNOWN_TYPE, node)
        return values

    def containers(self, node: ast.expr, *kinds: str) -> list[Container]:
        """The containers that the expression may be; empty when it may be anything else than these kinds."""
        values = self._known(node)
        found = [value for value in values if isinstance(value, Container) and value.kind in kinds]
        return found if len(found) == len(values) else []

    def is_sized(self, node: ast.expr) -> bool:
        """Whether a value is text or a container of Python's own, never an iterator: going through a part of it leaves
        no trace."""
        return self.is_text(node) or bool(self.containers(node, *SIZED))

    def elements(self, node: ast.expr, *kinds: str) -> Values:
        """The elements of the containers that the expression may be (of dicts, the keys); empty when they are not
        known."""
        found = self.containers(node, *kinds)
        inside = frozenset(value for c in found for value in (c.keys if c.kind == "dict" else c.elements))
        if UNKNOWN in inside:
            self.program.refusals.note(RefusalReason.UNKNOWN_ELEMENTS, node)
        return inside

    def holds_only(self, node: ast.expr, kinds: Values) -> bool:
        """Whether a value is a list or tuple with at least one element, and only elements of these kinds."""
        inside = self.elements(node, "list", "tuple")
        return bool(inside) and inside <= kinds

    def maker(self, container: Container) -> ast.AST | None:
        """The place in the program that makes the container."""
        return container.place if self.understood else None
