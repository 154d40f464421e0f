"""Equal arguments of another identity: no object twice, or equal values as one object. They expose code that compares
by `is` where callers mean `==`.

The arguments of a call are evaluated from one text, in which equal constants are one object; values that have no
literal, such as dates, are not.
"""

from __future__ import annotations

from .repr.parts import is_deque
from .repr.plain import is_iterator, is_simple, is_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .arguments import Call

MAX_PARTS = 20_000
"""Most values of a call that are made again."""
MAX_DEPTH = 8
"""Depth of containers to which values are built again."""
SMALL = range(-5, 1025)
"""Small ints, of which an interpreter has one object each; 3.14 has more of them than the others."""


def apart(call: Call, target: str) -> Call:
    """Arguments just made, each number and text of which becomes an object of its own. Containers that can be changed
    stay the same objects, shared where they were. target: the module under test, into whose objects this looks."""
    maker = Apart(target)
    return tuple([maker.other(value, MAX_DEPTH) for value in call[0]]), maker.named(call[1], MAX_DEPTH)


class Apart:
    """Makes values again, as long as there are not too many."""

    def __init__(self, target: str) -> None:
        self.target, self.left = target, MAX_PARTS
        self.seen: set[int] = set()

    def other(self, value: Any, depth: int) -> Any:
        """An equal value that is another object, where Python has more than one of it."""
        self.left -= 1
        kind: Any = type(value)
        if self.left < 0:
            return value
        if kind is int:
            return value if value in SMALL else value + 1 - 1
        if kind is str or kind is bytes:
            return value[:1] + value[1:] if len(value) > 1 else value
        if kind is float:
            return value * 1.0 if value == value else value  # `nan in [nan]` goes by identity
        if kind is tuple:
            return tuple([self.other(item, depth - 1) for item in value]) if depth else value
        if is_value(kind):
            return remade(value)
        if depth and id(value) not in self.seen:
            self.seen.add(id(value))
            self.fill(kind, value, depth - 1)
        return value

    def fill(self, kind: Any, value: Any, depth: int) -> None:
        """Copy the parts of a container, or of an object of the module under test. Sets are left alone: their order
        might change."""
        if kind is list:
            value[:] = [self.other(item, depth) for item in value]
        elif is_deque(kind):
            for at, item in enumerate(list(value)):
                value[at] = self.other(item, depth)
        elif kind is dict:
            pairs = [(self.other(key, depth), self.other(item, depth)) for key, item in value.items()]
            value.clear()
            value.update(pairs)
        elif kind.__module__ == self.target and type(getattr(value, "__dict__", None)) is dict:
            state = value.__dict__
            state.update({name: self.other(part, depth) for name, part in list(state.items())})

    def named(self, values: dict[str, Any], depth: int) -> dict[str, Any]:
        return {name: self.other(value, depth) for name, value in values.items()}


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


def remade(value: Any) -> Any:
    """An equal value of the standard library's immutable types, as pickle makes it; the same one where there is but
    one."""
    parts = value.__reduce_ex__(2)
    return parts[0](*parts[1]) if type(parts) is tuple and not any(parts[2:]) else value
