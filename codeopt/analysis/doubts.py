"""Why an answer was no, where a reader may want to know: what is not known, what may change, what may fail."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from enum import Enum


class Doubt(Enum):
    """Why a question was not answered with yes; the text is for people."""

    UNKNOWN_TYPE = "its type is not known"
    UNKNOWN_ELEMENTS = "what is in it is not known"
    UNKNOWN_CODE = "code that is not followed may change it"
    CHANGED = "the loop or a function may change it"
    UNBOUND = "the name may have no value before the loop"
    READ_LATER = "the variable is read later"
    INDEX = "the index may be outside"
    MAY_FAIL = "the test may fail or do something"
    OPERATORS = "a class gives operators a meaning of its own"
    REBOUND = "a builtin that it needs means something else"
    NAME_TAKEN = "a name that it has to import means something else"


@dataclass(frozen=True)
class Doubts:
    """Collected by the questions about one program."""

    lines: dict[Doubt, set[int]] = field(default_factory=dict)
    """By reason the lines of what was asked about."""

    def note(self, doubt: Doubt, node: ast.AST) -> None:
        """The answer to a question about the node was no."""
        self.lines.setdefault(doubt, set()).add(getattr(node, "lineno", 1))

    def unless(self, answer: bool, doubt: Doubt, node: ast.AST) -> bool:
        """The answer to a question about the node; where it is no, this is why."""
        if not answer:
            self.note(doubt, node)
        return answer

    def taken(self) -> dict[Doubt, set[int]]:
        """What was noted since it was last taken."""
        found = dict(self.lines)
        self.lines.clear()
        return found
