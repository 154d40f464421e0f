"""Changes that the owner of a result may make to it: they expose a function that keeps it for its next caller."""

from __future__ import annotations

from .repr.parts import is_container, is_deque, parts_of
from .repr.plain import NAMED, all_by_repr, is_simple, islice, modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MAX_PARTS = 20_000
"""Most parts of a value that are looked at."""


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
        return mutate_array(value)
    if kind is not tuple and not is_container(kind):
        return None
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
    return None


def mutate_array(value: Any) -> None:
    """Change the items of an array in place, where they are numbers and it lets others do so."""
    if value.flags.writeable and value.dtype.kind == "b":
        value ^= True
    elif value.flags.writeable and value.dtype.kind in "iufc":
        value *= 2
        value += 1


def corrupt_result(values: Sequence[Any]) -> None:
    """Give objects other public attributes, where they let others set them."""
    for value in values:
        for name in list(getattr(value, "__dict__", {})):
            if not name.startswith("_"):
                try:
                    setattr(value, name, "spoiled")
                except Exception:
                    continue
