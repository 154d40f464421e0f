"""Objects that a recording pickled, made by the constructor of the version that runs: it may keep more than
was recorded, such as an index of a list."""

from __future__ import annotations

import types

from .repr.tree import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

MAX_DEPTH = 4
"""Depth to which parts of a value are compared."""
MAX_ITEMS = 200
"""Most items of a container that are compared."""
NOTHING = object()


class Reconstructor:
    """Makes the objects of a value by their constructors, if that gives them all that was recorded."""

    def __init__(self, target: str, sure: bool = False) -> None:
        self.target, self.sure = target, sure
        """target: name of the module; sure: a value of constructors needs no comparison, as an equal one had one."""
        self.refused = False
        """A constructor gives something else."""

    def make(self, value: Any, depth: int = MAX_DEPTH) -> Any:
        """The value with other objects in it."""
        kind: Any = type(value)
        if kind is list or kind is tuple:
            return self.sequence(value, depth)
        if kind is dict:
            for key, item in list(value.items()) if depth and len(value) <= MAX_ITEMS else ():
                value[key] = self.make(item, depth - 1)
            return value
        if kind.__module__ != self.target or type(getattr(value, "__dict__", None)) is not dict:
            return value
        return self.by_constructor(value)

    def sequence(self, value: Any, depth: int) -> Any:
        """A list, changed in place, or a tuple."""
        if not depth or len(value) > MAX_ITEMS:
            return value
        items = [self.make(item, depth - 1) for item in value]
        if all(new is old for new, old in zip(items, value)):
            return value
        if type(value) is tuple:
            return tuple(items)
        value[:] = items
        return value

    def by_constructor(self, value: Any) -> Any:
        """Rebuild an object whose constructor takes its attributes under the same names; any other object is returned
        itself."""
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
        try:
            made = kind(**copied(given))
            if self.sure or all(name in vars(made) and self.alike(vars(made)[name], state[name]) for name in state):
                return made
        except Exception:
            pass
        self.refused = True
        return value

    def alike(self, one: Any, other: Any) -> bool:
        """Whether two values have the same encoding."""
        return same(self.target, one, other)


def replayed(kind: Any, steps: Sequence[tuple[str, Sequence[Any], dict[str, Any]]]) -> Any:
    """An object of a class that is made, and asked since, as another one was; None where it cannot be made."""
    (_, args, kwargs), *later = steps
    try:
        made = kind(*args, **kwargs)
    except Exception:
        return None
    for name, args, kwargs in later:
        try:
            getattr(made, name)(*args, **kwargs)
        except Exception:  # the caller may have expected it
            continue
    return made


def copied(given: dict[str, Any]) -> dict[str, Any]:
    """Copy of unpickled arguments: pickle is ten times as fast as a deep copy, where it works."""
    import copy
    import pickle

    try:
        return pickle.loads(pickle.dumps(given, 4))  # type: ignore[no-any-return]  # noqa: S301  our own
    except Exception:
        return copy.deepcopy(given)
