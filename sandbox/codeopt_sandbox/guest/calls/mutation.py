"""Changes of arguments and results by the caller: another identity, other values in place, results that are spoiled.

Arguments of another identity (no object twice, or equal values as one object) expose code that compares by `is` where
callers mean `==`. The arguments of a call are evaluated from one text, in which equal constants are one object; values
that have no literal, such as dates, are not. Changed results expose a function that keeps them for its next caller.
"""

from __future__ import annotations

from .answering import keeps_private
from .repr.structure import (
    NAMED,
    all_by_repr,
    is_container,
    is_deque,
    is_iterator,
    is_simple,
    is_value,
    islice,
    modules,
    parts_of,
    with_items,
)

TYPE_CHECKING = False

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from typing import Any

    from .arguments import Call


MAX_PARTS = 20_000
"""Most values of a call that are made again, and most parts of a result that are looked at."""
MAX_DEPTH = 8
"""Depth of containers to which values are built again."""
SMALL = range(-5, 1025)
"""Small ints, of which an interpreter has one object each; 3.14 has more of them than the others."""


class Apart:
    """Makes each number and text of a call's arguments an object of its own, as long as there are not too many.

    Containers that can be changed stay the same objects, shared where they were. target: the module under test, into
    whose objects this looks.
    """

    def __init__(self, target: str) -> None:
        self.target, self.left = target, MAX_PARTS
        self.seen: set[int] = set()

    def call(self, call: Call) -> Call:
        """The arguments, which were just made, with other objects in them."""
        args = tuple([self.other(value, MAX_DEPTH) for value in call[0]])
        return args, {name: self.other(value, MAX_DEPTH) for name, value in call[1].items()}

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
            return with_items(value, lambda item: self.other(item, depth - 1)) if depth else value
        if is_value(kind):  # as pickle makes it; the same one where there is but one
            parts = value.__reduce_ex__(2)
            return parts[0](*parts[1]) if type(parts) is tuple and not any(parts[2:]) else value
        if depth and id(value) not in self.seen:
            self.seen.add(id(value))
            self.fill(kind, value, depth - 1)
        return value

    def fill(self, kind: Any, value: Any, depth: int) -> None:
        """Copy the parts of a container, or of an object of the module under test. Sets are left alone: their order
        might change."""
        if kind is list or is_deque(kind):
            with_items(value, lambda item: self.other(item, depth))
        elif kind is dict:
            pairs = [(self.other(key, depth), self.other(item, depth)) for key, item in value.items()]
            value.clear()
            value.update(pairs)
        elif kind.__module__ == self.target and type(getattr(value, "__dict__", None)) is dict:
            state = value.__dict__
            state.update({name: self.other(part, depth) for name, part in list(state.items())})


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


class InPlace:
    """Makes the arguments of one call those of another, in place."""

    depth = 6
    """Containers in each other that are changed."""

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
        args = tuple([self.into(old, new, self.depth) for old, new in zip(call[0], other[0])])
        return args, {name: self.into(old, other[1][name], self.depth) for name, old in call[1].items()}

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
            kept = {name: state[name] for name in state if str(name).startswith("_")}  # which a call has put there
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
    private = [name for name in state if str(name).startswith("_") and (but_for is None or name in but_for)]
    return bool(state) and not private and callable(value) is False


def inner_parts(value: Any) -> list[Any]:
    """Parts of a value that are no plain values."""
    kind = type(value)
    if (kind is list or kind is tuple) and all_by_repr(value):  # `in` would ask a metaclass
        return []
    return [part for _, part in islice(parts_of(value, plain=False), MAX_PARTS) if not is_simple(type(part))]


def mutable_parts(value: Any, depth: int) -> Iterator[tuple[int, Any]]:
    """A result and of its parts that can be changed, those that are taken for their value left out."""
    kind: Any = type(value)
    for part in inner_parts(value) if depth else ():
        yield from mutable_parts(part, depth - 1)
    by_identity = kind.__hash__ is None or kind.__hash__ is object.__hash__
    alone = value is None or value is Ellipsis or value is NotImplemented
    if kind is not tuple and by_identity and not alone and not isinstance(value, NAMED):
        yield id(value), value


def mutate_result(value: Any, depth: int) -> None:
    """Change a result and its parts. Objects are left as they are: what they hold may be others' by their nature."""
    kind: Any = type(value)
    if kind is getattr(modules.get("numpy"), "ndarray", None):
        if value.flags.writeable and value.dtype.kind == "b":
            value ^= True
        elif value.flags.writeable and value.dtype.kind in "iufc":
            value *= 2
            value += 1
        return
    if kind is not tuple and not is_container(kind):
        return
    for part in inner_parts(value) if depth else ():
        mutate_result(part, depth - 1)
    if kind is list or is_deque(kind):
        value.append("spoiled")
    elif issubclass(kind, dict):
        value["spoiled"] = "spoiled"
    elif kind is set:
        value.add("spoiled")
    elif kind is bytearray:
        value.extend(b"spoiled")


def corrupt_result(values: Sequence[Any]) -> None:
    """Give objects other public attributes, where they let others set them."""
    for value in values:
        for name in list(getattr(value, "__dict__", {})):
            if not name.startswith("_"):
                try:
                    setattr(value, name, "spoiled")
                except Exception:
                    continue
