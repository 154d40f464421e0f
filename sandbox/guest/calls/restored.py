"""Objects that a recording pickled, made by the constructor of the version that runs: it may keep something beside
what was recorded, such as an index of a list."""

from __future__ import annotations

import types

from .repr.canonical import CanonicalRepr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEPTH, ITEMS = 4, 200
NOTHING = object()


def made_anew(value: Any, target: str, depth: int = DEPTH) -> Any:
    """A value with the objects in it made by their constructors, where that gives them all that was recorded."""
    kind: Any = type(value)
    if kind is list or kind is tuple:
        if depth and len(value) <= ITEMS:
            items = [made_anew(item, target, depth - 1) for item in value]
            if any(new is not old for new, old in zip(items, value)):
                if kind is tuple:
                    return tuple(items)
                value[:] = items
        return value
    if kind is dict:
        for key, item in list(value.items()) if depth and len(value) <= ITEMS else ():
            value[key] = made_anew(item, target, depth - 1)
        return value
    if kind.__module__ != target or type(getattr(value, "__dict__", None)) is not dict:
        return value
    return by_constructor(value, target)


def by_constructor(value: Any, target: str) -> Any:
    """Of an object whose class takes what it keeps under the same name; the object itself for any other."""
    kind: Any = type(value)
    init = kind.__init__
    if type(init) is not types.FunctionType or kind.__new__ is not object.__new__:
        return value
    state, code = vars(value), init.__code__
    names = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    needed = set(names[: code.co_argcount - 1 - len(init.__defaults__ or ())])
    given = {name: state.get(name, state.get("_" + name, NOTHING)) for name in names}
    given = {name: part for name, part in given.items() if part is not NOTHING}
    if not needed <= given.keys():
        return value
    import copy

    try:
        made = kind(**copy.deepcopy(given))
        same = all(name in vars(made) and alike(vars(made)[name], part, target) for name, part in state.items())
    except Exception:
        return value
    return made if same else value


def alike(one: Any, other: Any, target: str) -> bool:
    """Whether two values have the same text."""
    return CanonicalRepr(target).show(one) == CanonicalRepr(target).show(other)
