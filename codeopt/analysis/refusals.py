"""Reasons for the answer no, for a reader who wants to know: something unknown, something that may change or fail."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum


class RefusalReason(Enum):
    """Reason why a question was not answered with yes. The text is for people."""

    UNKNOWN_TYPE = "its type is not known"
    UNKNOWN_ELEMENTS = "what is in it is not known"
    UNKNOWN_CODE = "code that is not followed may change it"
    CHANGED = "the loop or a function may change it"
    UNBOUND = "the name may have no value before the loop"
    INDEX = "the index may be outside"
    MAY_FAIL = "the test may fail or do something"
    OPERATORS = "a class gives operators a meaning of its own"
    REBOUND = "a builtin that it needs means something else"
    NAME_TAKEN = "a name that it has to import means something else"


@dataclass
class RefusalReasons:
    """The reasons that the questions about one program collect."""

    lines: dict[RefusalReason, set[int]] = field(default_factory=dict)
    """Lines of the nodes in question, by reason."""

    def note(self, reason: RefusalReason, node: ast.AST) -> None:
        """Note that the answer to a question about the node was no."""
        self.lines.setdefault(reason, set()).add(getattr(node, "lineno", 1))

    def unless(self, answer: bool, reason: RefusalReason, node: ast.AST) -> bool:
        """Return the answer to a question about the node; where it is no, note the reason."""
        if not answer:
            self.note(reason, node)
        return answer

    def taken(self) -> dict[RefusalReason, set[int]]:
        """Return the reasons noted since the last call, and forget them."""
        found = dict(self.lines)
        self.lines.clear()
        return found
