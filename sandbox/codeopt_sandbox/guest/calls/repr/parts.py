"""Parts of a value: items of containers, attributes, slots; by the builtin types' own methods, never by its own."""

from __future__ import annotations

import types

from .plain import NAMED, is_simple, modules
from .structure import held_dict, held_slots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

WHOLE = (*NAMED, types.MethodType)
"""Code, of which no part is looked at."""


def parts_of(value: Any, plain: bool = True) -> Iterator[tuple[str, Any]]:
    """Path and value of each part, e.g. `[0]` or `.name`. Code, and what is taken for its value, has no parts.

    plain: numbers and texts among the items of a sequence also, of which there may be many.
    """
    kind: Any = type(value)
    if is_simple(kind) or issubclass(kind, WHOLE):
        return
    if issubclass(kind, dict):
        yield from entries(value)
    else:
        yield from items(kind, value, plain)
    yield from attributes(value)


def items(kind: type, value: Any, plain: bool) -> Iterator[tuple[str, Any]]:
    """Items of a sequence or a set; empty for anything else."""
    for base in (list, tuple, set, frozenset):
        if issubclass(kind, base):
            ordered = base is list or base is tuple
            for at, item in enumerate(base.__iter__(value)):
                if plain or not is_simple(type(item)):
                    yield (f"[{at}]" if ordered else "{...}"), item
            return
    if is_deque(kind):
        for at, item in enumerate(list(value)):
            yield f"[{at}]", item


def entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Values of a dictionary, and its keys that are no plain values."""
    for key in list(dict.keys(value)):
        named = is_simple(type(key))
        yield (f"[{key!r}]" if named else "[...]"), dict.__getitem__(value, key)
        if not named:
            yield " key", key


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """Attributes in the `__dict__` and the slots of a value."""
    for name, part in list((held_dict(value) or {}).items()):
        yield f".{name}", part
    for name, part in held_slots(value).items():
        yield f".{name}", part


def is_deque(kind: type) -> bool:
    """Whether it is the standard library's own."""
    return kind is getattr(modules.get("collections"), "deque", None)


def is_container(kind: type) -> bool:
    """Whether anybody may put items in: a builtin container that can be changed, or one of `collections`."""
    if kind in (list, dict, set, bytearray) or is_deque(kind):
        return True
    names = ("OrderedDict", "defaultdict", "Counter")
    return any(kind is getattr(modules.get("collections"), name, None) for name in names)
