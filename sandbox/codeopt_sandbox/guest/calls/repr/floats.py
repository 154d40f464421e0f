"""Floats of an encoding, apart from the rest of it: two answers may differ in their last bits."""

from __future__ import annotations

import _struct

from ...answer import Floats
from .plain import digest, modules
from .portable import base64
from .tree import written

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

pack = _struct.pack
MAX_BYTES = 64 << 20
"""Most bytes of floats that are sent."""
SPACING = {"f4": 2.0**-23, "c8": 2.0**-23, "f2": 2.0**-10}
"""Relative distance between neighbours of the shorter floats of numpy."""
FLOAT = ...
"""Takes a float's place; no tree has it."""


class FloatsApart:
    """Takes the floats out of a tree."""

    def __init__(self) -> None:
        self.found: list[float] = []
        self.spacing = 0.0

    def rest(self, tree: Any) -> Any:
        kind = type(tree)
        if kind is list:
            return [self.rest(part) for part in tree]
        if kind is not tuple or not tree:
            return self.of_plain(tree)
        tag = tree[0]
        if tag == "=":
            return tag, self.of_plain(tree[1])
        if tag == "array" and tree[1][1:2] in ("f", "c"):
            return self.of_array(*tree)
        if tag == "scalar":
            self.spacing = max(self.spacing, SPACING.get(tree[1][1:], 0.0))
        if tag in ("set", "frozenset"):
            return tag, sorted([self.rest(part) for part in tree[1]], key=written)
        return tuple([self.rest(part) for part in tree])

    def of_plain(self, value: Any) -> Any:
        kind = type(value)
        if kind is float:
            self.found.append(value)
            return FLOAT
        if kind is complex:
            self.found += (value.real, value.imag)
            return FLOAT, FLOAT
        if kind is list or kind is tuple:
            return kind([self.of_plain(part) for part in value])
        if kind is dict:
            return [(self.of_plain(key), self.of_plain(part)) for key, part in value.items()]
        return value

    def of_array(self, tag: str, kind: str, shape: Any, data: bytes) -> Any:
        """An array without its items."""
        numpy: Any = modules["numpy"]
        items = numpy.frombuffer(data, numpy.dtype(kind))
        items = items.view(items.real.dtype) if kind[1] == "c" else items
        self.found += items.astype("<f8").tolist()
        self.spacing = max(self.spacing, SPACING.get(kind[1:], 0.0))
        return tag, kind, shape


def floats_apart(tree: Any, given: Any) -> Floats | None:
    """The floats of an answer; None where they are too many, or nested too deep. given: tree of the arguments."""
    apart, terms = FloatsApart(), FloatsApart()
    try:
        rest = written(apart.rest(tree))
        terms.rest(given)
    except (RecursionError, ValueError):
        return None
    if 8 * len(apart.found) > MAX_BYTES:
        return None
    every = [abs(value) for value in (*apart.found, *terms.found) if value - value == 0]
    packed = base64(pack(f"<{len(apart.found)}d", *apart.found))
    return Floats(digest(rest), packed, len(every), max(every, default=0.0), apart.spacing)
