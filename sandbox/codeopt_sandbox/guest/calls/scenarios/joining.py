"""Joining of equal arguments that have no literal, such as dates: they become one object, as equal constants of a text
are."""

from __future__ import annotations

from ..apart import Apart
from ..repr.plain import is_iterator, is_simple, is_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Joined(Apart):
    """Copies of arguments in which equal values without a literal are one object."""

    def __init__(self, target: str) -> None:
        super().__init__(target)
        self.kept: dict[Any, Any] = {}
        self.met = False

    def other(self, value: Any, depth: int) -> Any:
        """First value that is equal."""
        kind: Any = type(value)
        if is_simple(kind):
            return value
        if not is_value(kind) or is_iterator(value):
            return super().other(value, depth)
        found = self.kept.setdefault((kind, repr(value)), value)
        self.met = self.met or found is not value
        return found
