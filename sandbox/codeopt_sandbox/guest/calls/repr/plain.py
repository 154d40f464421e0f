"""Basics of all trees and texts of values: types known by their identity, names that lead to objects.

All names are bound before a module under test is imported, which can patch the modules that they come from.
"""

from __future__ import annotations

import itertools
import sys
import types
from _operator import is_

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, Protocol

    class Encodes(Protocol):
        """Maker of the trees of a value's parts, such as Encoder."""

        kept: list[Any]
        seen: dict[int, str]
        floats: bool

        def tree(self, value: Any, depth: int = ...) -> Any:
            """The tree of any value."""


islice, count, repeat, chain = itertools.islice, itertools.count, itertools.repeat, itertools.chain
modules = sys.modules
MAX_ITEMS = 10_000
"""Most items that are read of an iterator."""
NONE = type(None)
LONG_BITS = 10_000
"""An int of so many is shown in another way than repr's."""
NAMED = (type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, types.MethodDescriptorType)
BY_REPR = {
    "datetime": {"date", "datetime", "time", "timedelta", "timezone"},
    "decimal": {"Decimal"},
    "fractions": {"Fraction"},
    "uuid": {"UUID"},
    "pathlib": {"PosixPath", "PurePosixPath"},
    "builtins": {"range", "ellipsis", "NotImplementedType"},
}
"""Immutable types of the standard library whose repr says all."""
NAMELESS = (type(...), type(NotImplemented))
"""Types of NAMED values that no name leads to."""


def _own_sha256() -> Callable[[bytes], Any]:
    """The interpreter's own; `hashlib` would load OpenSSL, which takes longer than the rest of a run."""
    for name in ("_sha2", "_sha256", "hashlib"):
        try:
            return __import__(name).sha256  # type: ignore[no-any-return]
        except ImportError:
            continue
    raise ImportError("this Python has no SHA-256")


sha256 = _own_sha256()


def digest(data: bytes) -> str:
    """Stands for data that is too long to show."""
    return str(sha256(data).hexdigest())


def is_iterator(value: object) -> bool:
    """Whether it yields items once: a generator, a map, a chain."""
    kind = type(value)
    return hasattr(kind, "__next__") and hasattr(kind, "__iter__")


def number(value: int) -> str:
    """An int of any size; repr refuses more than a few thousand digits."""
    return repr(value) if value.bit_length() < LONG_BITS else hex(value)


def all_by_repr(values: Collection[Any], depth: int = 5) -> bool:
    """Whether repr says all of each: numbers and texts, of which there may be many, and no int of many digits; and rows
    of them, tuples within tuples."""
    only_ints = type(next(iter(values), None)) is int and all(map(is_, map(type, values), repeat(int)))
    if only_ints:  # the commonest, and long: a third of the time
        return max(map(int.bit_length, values)) < LONG_BITS
    rest, kinds = list(map(type, values)), []
    while rest:
        kind = rest[0]
        if not is_simple(kind) and not (kind is tuple and depth):
            return False
        kinds.append(kind)
        rest = [other for other in rest if other is not kind]
    if tuple in kinds:
        rows = values if len(kinds) == 1 else [item for item in values if type(item) is tuple]
        if not all_by_repr(list(chain.from_iterable(rows)), depth - 1):
            return False
    return int not in kinds or max([item.bit_length() for item in values if type(item) is int]) < LONG_BITS


def is_simple(kind: type) -> bool:
    """Whether repr says all of its values. By `is`: a metaclass can make a class equal to all others; and not by `id`:
    an audit hook hears of it, which takes thirty times as long."""
    return (
        kind is str or kind is int or kind is NONE or kind is float or kind is bool or kind is bytes or kind is complex
    )


def find(module: str, name: str) -> Any:
    """The object behind a module's dotted name. None if the module has no such name."""
    found: Any = modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def is_value(kind: type) -> bool:
    """Whether a type is one of those whose repr says all, and not another of its name."""
    if kind.__name__ not in BY_REPR.get(kind.__module__, ()):
        return False
    found = find(kind.__module__, kind.__name__)
    return found is kind or any(kind is other for other in NAMELESS)
