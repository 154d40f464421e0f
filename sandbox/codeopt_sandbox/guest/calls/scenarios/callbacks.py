"""Wrappers around functions and iterators among the arguments, so that the caller's own code can act while a call
runs."""

from __future__ import annotations

import types

from ..repr.plain import NAMED, is_iterator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ..arguments import Call

FUNCTIONS = ("partial", "itemgetter", "attrgetter", "methodcaller")
MAX_DEPTH = 2


class Wrapped:
    """Arguments of a call whose functions and iterators report their use. `on_use`: called with the arguments of a
    function before it is called, and with each item before it is taken."""

    def __init__(self, call: Call, on_use: Callable[[tuple[Any, ...]], None], iterators: bool = True) -> None:
        self.on_use, self.iterators, self.found = on_use, iterators, 0
        args = tuple([self.wrap(value, MAX_DEPTH) for value in call[0]])
        self.call: Call = args, {name: self.wrap(value, MAX_DEPTH) for name, value in call[1].items()}

    def wrap(self, value: Any, depth: int) -> Any:
        """The value with its functions and iterators wrapped; containers are changed in place."""
        kind = type(value)
        if is_function(value):
            return self.function(value)
        if self.iterators and is_iterator(value):
            self.found += 1
            return self.items(value)
        if kind is list and depth:
            value[:] = [self.wrap(item, depth - 1) for item in value]
        elif kind is tuple and depth:
            return tuple([self.wrap(item, depth - 1) for item in value])
        elif kind is dict and depth:
            value.update({key: self.wrap(item, depth - 1) for key, item in list(value.items())})
        return value

    def function(self, value: Any) -> Callable[..., Any]:
        """Function that reports its use and calls the original."""
        self.found += 1

        def called(*args: Any, **kwargs: Any) -> Any:
            self.on_use(args)
            return value(*args, **kwargs)

        for name in ("__name__", "__qualname__", "__doc__"):
            setattr(called, name, getattr(value, name, None) or "callback")
        return called

    def items(self, value: Iterator[Any]) -> Iterator[Any]:
        """Items of the original, each reported before it is taken."""
        for item in value:
            self.on_use((item,))
            yield item


def is_function(value: Any) -> bool:
    """Whether a value is a function of any kind, or a builtin class, as `str` is."""
    if isinstance(value, type):
        return value.__module__ == "builtins"
    if isinstance(value, types.ModuleType):
        return False
    return isinstance(value, (*NAMED, types.MethodType)) or type(value).__name__ in FUNCTIONS
