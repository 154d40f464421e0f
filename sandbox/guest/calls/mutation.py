"""What the owner of a result may do with it: whoever kept it for the next caller is found out."""

from __future__ import annotations

from .repr.plain import NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def mutable_parts(value: Any, depth: int) -> Iterator[int]:
    """Ids of a result and of its parts that can be changed, those that are taken for their value left out."""
    kind: Any = type(value)
    if kind is list or kind is tuple or kind is dict:
        for item in list(value.values() if kind is dict else value)[:100] if depth else ():
            yield from mutable_parts(item, depth - 1)
    by_identity = kind.__hash__ is None or kind.__hash__ is object.__hash__
    alone = value is None or value is Ellipsis or value is NotImplemented
    if kind is not tuple and by_identity and not alone and not isinstance(value, NAMED):
        yield id(value)


def mutate_result(value: Any, depth: int) -> None:
    """Change a result and its parts."""
    kind: Any = type(value)
    if depth and (kind is list or kind is tuple or kind is dict):
        for item in list(value.values() if kind is dict else value)[:100]:
            mutate_result(item, depth - 1)
    if kind is list:
        value.append("spoiled")
    elif kind is dict:
        value["spoiled"] = "spoiled"
    elif kind is set:
        value.add("spoiled")
    elif kind is bytearray:
        value.extend(b"spoiled")
