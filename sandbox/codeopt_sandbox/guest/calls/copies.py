"""Copies of objects, made without running code of their classes, and answers of containers, numbers and texts that
differ from those of their builtin base."""

from __future__ import annotations

from .repr.plain import is_simple, islice
from .repr.structure import held_dict, held_slots, is_librarys, librarys_base, mro_of, vars_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CONTAINERS = (list, dict, set)
VALUES = (tuple, frozenset, str, bytes, int, float)
MAX_ASKED_ITEMS = 20


def copied(value: Any, target: str, memo: dict[int, Any]) -> Any:
    """A deep copy. target: the module under test, whose classes are not asked."""
    kind: Any = type(value)
    if is_simple(kind):
        return value
    if id(value) in memo:
        return memo[id(value)]
    base = kind if kind in (*CONTAINERS, tuple) else librarys_base(kind, target)
    if kind is not base and is_librarys(kind, target) or base not in (object, *CONTAINERS, *VALUES):
        import copy

        return copy.deepcopy(value, memo)
    new = blank(value, kind, base, lambda part: copied(part, target, memo))
    memo[id(value)] = new
    fill(new, value, base, lambda part: copied(part, target, memo))
    return new


def blank(value: Any, kind: Any, base: Any, copy: Callable[[Any], Any]) -> Any:
    """An object of the class, with what can only be given when it is made."""
    if base in (tuple, frozenset):
        return base.__new__(kind, [copy(part) for part in base.__iter__(value)])
    return base.__new__(kind, *(base.__getnewargs__(value) if base in VALUES else ()))


def fill(new: Any, value: Any, base: Any, copy: Callable[[Any], Any]) -> None:
    """Items, attributes and slots."""
    if base is list:
        list.extend(new, [copy(part) for part in list.__iter__(value)])
    elif base is set:
        set.update(new, [copy(part) for part in set.__iter__(value)])
    elif base is dict:
        dict.update(new, [(copy(key), copy(part)) for key, part in dict.items(value)])
    held = held_dict(new)
    if held is not None:
        held.update({name: copy(part) for name, part in (held_dict(value) or {}).items()})
    slots = held_slots(value)
    for each in mro_of(type(value)) if slots else ():
        for name in slots.keys() & vars_of(each).keys():
            vars_of(each)[name].__set__(new, copy(slots[name]))


QUESTIONS: dict[str, Callable[[Any, list[Any]], Any]] = {
    "__len__": lambda value, keys: len(value),
    "__bool__": lambda value, keys: bool(value),
    "__iter__": lambda value, keys: list(value),
    "__contains__": lambda value, keys: [key in value for key in keys],
    "__getitem__": lambda value, keys: [value[key] for key in keys],
    "get": lambda value, keys: [value.get(key) for key in keys],
    "keys": lambda value, keys: list(value.keys()),
    "values": lambda value, keys: list(value.values()),
    "items": lambda value, keys: list(value.items()),
    "index": lambda value, keys: [value.index(key) for key in keys],
    "count": lambda value, keys: [value.count(key) for key in keys],
    "__eq__": lambda value, keys: None,
}
"""Operations of a container that a class can override."""


def own_answers(value: Any, target: str) -> list[str]:
    """Overridden operations of a container; empty for any other object."""
    kind: Any = type(value)
    if is_simple(kind) or kind is list or kind is tuple or kind is dict or kind is set:
        return []
    base = librarys_base(kind, target)
    if base not in (*CONTAINERS, tuple) or base is kind:
        return []
    above = [each for each in mro_of(kind) if each is not object and not is_librarys(each, target)]
    return [name for name in QUESTIONS if any(name in vars_of(each) for each in above)]


def unlike_builtin(value: Any, target: str, encode: Callable[[Any], tuple[bytes, str]]) -> list[Any]:
    """Operations in which a container differs from its builtin base: [name, encoding, text] of each."""
    base = librarys_base(type(value), target)
    plain = base(dict.items(value) if base is dict else base.__iter__(value))
    keys = list(islice(range(len(plain)) if base in (list, tuple) else plain, MAX_ASKED_ITEMS))
    found = []
    for name in own_answers(value, target):
        asked = keys if name in ("__getitem__", "get") else list(islice(plain, MAX_ASKED_ITEMS))
        right = encode(QUESTIONS[name](plain, asked) if name != "__eq__" else True)
        try:
            said = encode(QUESTIONS[name](value, asked) if name != "__eq__" else value == plain)
        except Exception as error:
            said = type(error).__name__.encode("utf-8", "replace"), "raises " + type(error).__name__
        if said[0] != right[0]:
            found.append([name, *said])
    return found
