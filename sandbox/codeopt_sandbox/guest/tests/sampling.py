"""Sampling of the calls of a function that is called very often: all at first, then ever fewer, and large ones."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

MIN_SAMPLED_CALLS = 1_000
"""Number of first calls that are all looked at."""
EACH_DOUBLING = 128
"""Then about so many each time their number doubles."""
MAX_UNSIZED_CALLS = 100
"""Number of calls without a known size after which the size is no longer asked for."""


class Schedule:
    """Read by the function's wrapper at each call, without a lock: a race costs one call more or less."""

    def __init__(self) -> None:
        self.left = 0
        """Calls that are passed on before one is looked at."""
        self.count = 0
        self.random = 12345
        self.measure: Callable[[Any], Any] | None = None
        """Measure of an argument's size: len, or None for a number, which is its own size."""
        self.position, self.name = 0, ""
        """Argument that has the size: a call gives it by position or by name."""
        self.top = UNKNOWN
        """A call beyond this size is always looked at."""
        self.failures = 0

    def is_due(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Return True if a call is to be looked at: it is its turn, or it is larger than all before."""
        self.left -= 1
        return self.left < 0 or (self.top >= 0 and self._size(args, kwargs) > self.top)

    def taken(self, function: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """A call is looked at: when is the next? Returns whether it is one of the largest."""
        if self.left < 0:
            gap = self._gap()
            self.count += gap
            self.left = gap - 1
        if self.top < 0 and self.failures < MAX_UNSIZED_CALLS:
            code = getattr(function, "__code__", None)
            names = code.co_varnames[: code.co_argcount] if code else ()
            self._learn(names, [*zip([*names, *[""] * len(args)], args), *kwargs.items()])
        size = self._size(args, kwargs) if self.top >= 0 else UNKNOWN
        if size <= self.top:
            return False
        self.top = size + size // 8
        return True

    def _gap(self) -> int:
        """Random, so that a period of the program's own does not hide a kind of call."""
        mean = (self.count - MIN_SAMPLED_CALLS) // EACH_DOUBLING
        if mean < 2:
            return 1
        self.random = (self.random * 1103515245 + 12345) % (1 << 31)
        return 1 + (self.random >> 8) % (2 * mean)

    def _learn(self, names: Sequence[str], given: Sequence[tuple[str, Any]]) -> None:
        """Find the argument that has a size: the first container or text, else the first number.

        names: of the parameters that may be given by position. given: arguments with their names, `*args` without.
        """
        sized = [at for at, (_, value) in enumerate(given) if type(value) in SIZED]
        whole = [at for at, (_, value) in enumerate(given) if type(value) is int]
        for at in (sized or whole)[:1]:
            self.name = given[at][0]
            elsewhere = sys.maxsize if self.name else at  # by its name alone, or an item of `*args`
            self.position = names.index(self.name) if self.name in names else elsewhere
            self.measure, self.top = (len if sized else None), 0

    def _size(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int:
        """Return the size of a call: UNKNOWN if it has no such argument, or one of another kind."""
        try:
            value = args[self.position] if self.position < len(args) else kwargs[self.name]
            size = value if self.measure is None else self.measure(value)
        except (TypeError, LookupError):
            size = None
        if type(size) is int:
            return size
        self.failures += self.count > MIN_SAMPLED_CALLS
        if self.failures >= MAX_UNSIZED_CALLS:
            self.top = UNKNOWN
        return UNKNOWN


SIZED = (list, dict, set, frozenset, tuple, str, bytes, bytearray)
UNKNOWN = -1
"""Size of calls in which no argument has one."""
