"""Changes that the owner of a result may make to it: they expose a function that keeps it for its next caller."""

from __future__ import annotations

from .repr.parts import is_container, is_deque, parts_of
from .repr.plain import NAMED, is_simple, islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

MAX_PARTS = 100
"""Parts of a value that are looked at."""


def mutable_parts(value: Any, depth: int) -> Iterator[tuple[int, Any]]:
    """A result and of its parts that can be changed, those that are taken for their value left out."""
    kind: Any = type(value)
    for _, part in islice(parts_of(value), MAX_PARTS) if depth else ():
        if not is_simple(type(part)):
            yield from mutable_parts(part, depth - 1)
    by_identity = kind.__hash__ is None or kind.__hash__ is object.__hash__
    alone = value is None or value is Ellipsis or value is NotImplemented
    if kind is not tuple and by_identity and not alone and not isinstance(value, NAMED):
        yield id(value), value


def mutate_result(value: Any, depth: int) -> None:
    """Change a result and its parts. Objects are left as they are: what they hold may be others' by their nature."""
    kind: Any = type(value)
    if kind is not tuple and not is_container(kind):
        return
    for _, part in list(islice(parts_of(value), MAX_PARTS)) if depth else ():
        if not is_simple(type(part)):
            mutate_result(part, depth - 1)
    if kind is list or is_deque(kind):
        value.append("spoiled")
    elif issubclass(kind, dict):
        value["spoiled"] = "spoiled"
    elif kind is set:
        value.add("spoiled")
    elif kind is bytearray:
        value.extend(b"spoiled")


def corrupt_result(values: Sequence[Any]) -> list[tuple[Any, str, Any]]:
    """Give objects other public attributes, where they let others set them; what these were."""
    changed = []
    for value in values:
        for name, was in list(getattr(value, "__dict__", {}).items()):
            if not name.startswith("_"):
                try:
                    setattr(value, name, "spoiled")
                except Exception:
                    continue
                changed.append((value, name, was))
    return changed
