"""State of the project's other modules that calls may change: names that others read, and private counters and
caches."""

from __future__ import annotations

import sys
import types

from .function_ref import OwnCode
from .repr.parts import is_container
from .repr.plain import all_by_repr, is_simple
from .repr.structure import held_dict, is_librarys, vars_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from .function_ref import FunctionRef

modules = sys.modules
MAX_MODULES = 300
"""Most modules of a project that are looked at."""
MAX_ITEMS = 200
"""Most items of a container in an attribute of an object that is looked at."""
PLAIN = (int, float, str, bool, list, dict, set)


def neighbours(others: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Public data of the project's other modules, of their classes and of their objects."""
    for name, module in others:
        for key, value in sorted(vars(module).items()):
            if not is_public(key):
                continue
            if is_data(value):
                yield name + "." + key, value
            elif type(value) is type and vars_of(value).get("__module__") == name:
                for attribute, part in sorted(vars_of(value).items()):
                    if is_public(attribute) and is_data(part):
                        yield name + "." + key + "." + attribute, part
            elif is_of_project(value):
                yield name + "." + key, attributes(value)


def counters(others: Sequence[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    """Private whole numbers of other modules, alone or by name, such as counters; all other private data is theirs
    alone."""
    for name, module in others:
        for key, value in sorted(vars(module).items()):
            if key.startswith("_") and not key.startswith("__") and not is_cache(key) and is_counter(value):
                yield name + "." + key, value


def others(ref: FunctionRef) -> list[tuple[str, Any]]:
    """Modules of the project in addition to the one under test."""
    own = OwnCode(ref)
    mine = [(name, each) for name, each in modules.items() if own.has(getattr(each, "__file__", ""))]
    mine.sort(key=lambda pair: str(pair[0]))
    return [pair for pair in mine[:MAX_MODULES] if pair[0] != ref.module]


def is_public(name: str) -> bool:
    return not name.startswith("_") and not is_cache(name)


def is_cache(name: str) -> bool:
    """Whether a name says that its value is a cache."""
    return any(word in name.lower() for word in ("cache", "memo"))


def is_data(value: Any) -> bool:
    """Whether a value is plain, or a container, those of `collections` too."""
    return type(value) in PLAIN or is_container(type(value))


def is_counter(value: Any) -> bool:
    """Whether a value is a whole number, or whole numbers by name."""
    kind = type(value)
    if kind is int:
        return True
    mapping = is_container(kind) and issubclass(kind, dict)
    return mapping and all(type(k) is str and type(n) is int for k, n in dict.items(value))


def is_of_project(value: Any) -> bool:
    """Whether a value is an object of a class that is no library's."""
    kind = type(value)
    code = (type, types.ModuleType, types.FunctionType)
    return not is_simple(kind) and not issubclass(kind, code) and not is_librarys(kind, "")


def attributes(value: Any) -> dict[str, Any]:
    """Public plain attributes of an object."""
    return {name: part for name, part in (held_dict(value) or {}).items() if is_public(name) and is_flat(part)}


def is_flat(value: Any) -> bool:
    """Whether a container holds nothing but plain values."""
    if is_simple(type(value)):
        return True
    if not is_container(type(value)) or len(value) > MAX_ITEMS or type(value) is bytearray:
        return False
    return all_by_repr(list(value)) and (not issubclass(type(value), dict) or all_by_repr(list(value.values())))
