"""Bypass of the wrapper in a deep recursion: the function's name then means the function itself.

So the wrapper costs neither time nor stack depth.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_CLASS_CHANGES = 300
"""Most changes of a class: Python gives up its caches of one that is changed a thousand times (3.12 and later)."""


class StandInPlace:
    """Place where code that calls a wrapper finds it: in its module, or in a class of that."""

    def __init__(self, function: Any, qualname: str) -> None:
        self.function, self.qualname = function, qualname
        self.wrapper: Any = None
        self.times = 0

    def step_aside(self) -> Callable[[], None] | None:
        """Put the function itself there; what puts its wrapper back. None where that is not to be done."""
        space: Any = getattr(innermost(self.function), "__globals__", {})
        *classes, name = self.qualname.split(".")
        owner: Any = None
        for part in classes:
            owner = space.get(part)
            if not isinstance(owner, type) or self.times >= MAX_CLASS_CHANGES:
                return None
            space = vars(owner)
        found = space.get(name)
        put = self._without(found)
        if put is None:
            return None
        self.times += 1
        _set(owner, space, name, put)

        def back() -> None:
            if (space if owner is None else vars(owner)).get(name) is put:
                _set(owner, space, name, found)

        return back

    def _without(self, found: Any) -> Any:
        """Attribute from before the wrapper was put in; None where the wrapper is not what was found."""
        if found is self.wrapper:
            return self.function
        if isinstance(found, (staticmethod, classmethod)) and found.__func__ is self.wrapper:
            return type(found)(self.function)
        if type(found) is property and found.fget is self.wrapper:
            return property(self.function, found.fset, found.fdel, found.__doc__)
        return None


def stack_is_deep() -> bool:
    """A quarter of Python's limit is used up."""
    try:
        sys._getframe(sys.getrecursionlimit() // 4)
    except ValueError:
        return False
    return True


def innermost(function: Any) -> Any:
    """Behind decorators that say what they wrap."""
    for _ in range(10):
        if not hasattr(function, "__wrapped__"):
            break
        function = function.__wrapped__
    return function


def _set(owner: Any, space: Any, name: str, value: Any) -> None:
    if owner is None:
        space[name] = value
    else:
        setattr(owner, name, value)
