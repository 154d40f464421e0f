"""Changes by the caller: the arguments of one call become those of another, in place."""

from __future__ import annotations

from ..public_view import keeps_private
from ..repr.parts import is_deque
from ..repr.plain import is_simple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container
    from typing import Any

    from ..arguments import Call

MAX_DEPTH = 6


class InPlace:
    def __init__(self) -> None:
        self.done = False
        """Whether anything was changed in place."""
        self.closed = False
        """Whether an object was met that keeps something private."""
        self.seen: set[int] = set()

    def of_call(self, call: Call, other: Call) -> Call:
        """Change the arguments of a call into those of another, in place if they are mutable."""
        if len(call[0]) != len(other[0]) or call[1].keys() != other[1].keys():
            return other
        args = tuple([self.into(old, new, MAX_DEPTH) for old, new in zip(call[0], other[0])])
        return args, {name: self.into(old, other[1][name], MAX_DEPTH) for name, old in call[1].items()}

    def into(self, value: Any, new: Any, depth: int) -> Any:
        """Change a value into another in place; the other itself where this is impossible."""
        kind: Any = type(value)
        if kind is not type(new) or is_simple(kind) or not depth or id(value) in self.seen or value is new:
            return new
        if kind is list or kind is bytearray or is_deque(kind):
            self.sequence(value, new, depth - 1)
        elif kind is dict:
            self.entries(value, new, depth - 1)
        elif kind is set:
            self.note(value, value != new)
            value.clear()
            value.update(new)
        elif is_open(new) and is_open(value, but_for=new.__dict__):
            state = value.__dict__
            kept = {name: state[name] for name in state if is_private(name)}  # which a call has put there
            self.entries(state, new.__dict__, depth - 1)
            state.update(kept)
            self.seen.add(id(value))
        else:
            self.closed = self.closed or keeps_private(value)
            return new
        return value

    def sequence(self, value: Any, new: Any, depth: int) -> None:
        """Change a sequence and its items in place."""
        items = [self.into(value[at], item, depth) if at < len(value) else item for at, item in enumerate(new)]
        self.note(value, len(items) != len(value) or any(item is not old for item, old in zip(items, value)))
        if is_deque(type(value)):
            value.clear()
            value.extend(items)
        else:
            value[:] = items

    def entries(self, value: dict[Any, Any], new: dict[Any, Any], depth: int) -> None:
        """Change a dictionary in place, in the order of the other."""
        found = {key: self.into(value[key], item, depth) if key in value else item for key, item in new.items()}
        self.note(value, list(found) != list(value) or any(found[key] is not value[key] for key in found))
        value.clear()
        value.update(found)

    def note(self, value: Any, changed: bool) -> None:
        """Mark a value as visited, and whether it is changed."""
        self.seen.add(id(value))
        self.done = self.done or changed


def is_open(value: Any, but_for: Container[str] | None = None) -> bool:
    """Return True if an object has only attributes that callers may set.

    but_for: names of a new object; private ones that it does not have are no obstacle.
    """
    kind: Any = type(value)
    state = getattr(value, "__dict__", None)
    if type(state) is not dict or isinstance(value, type) or kind.__setattr__ is not object.__setattr__:
        return False
    private = [name for name in state if is_private(name) and (but_for is None or name in but_for)]
    return bool(state) and not private and callable(value) is False


def is_private(name: object) -> bool:
    """Return True for an attribute that callers leave alone."""
    return str(name).startswith("_")
