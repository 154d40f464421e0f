"""Sampling of the calls of a function that is called very often: all at first, then ever fewer, and large ones."""

from __future__ import annotations

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
        self.at: int | str = 0
        """Argument that has the size, by position or name."""
        self.top = UNKNOWN
        """A call beyond this size is always looked at."""
        self.failures = 0

    def now(self) -> tuple[int, Callable[[Any], Any] | None, int | str, int]:
        """Settings of a wrapper until the next call that is looked at."""
        return self.left, self.measure, self.at, self.top

    def taken(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """A call is looked at: when is the next? Returns whether it is one of the largest."""
        if self.left < 0:
            gap = self._gap()
            self.count += gap
            self.left = gap - 1
        return self._measured(args, kwargs)

    def _gap(self) -> int:
        """Random, so that a period of the program's own does not hide a kind of call."""
        mean = (self.count - MIN_SAMPLED_CALLS) // EACH_DOUBLING
        if mean < 2:
            return 1
        self.random = (self.random * 1103515245 + 12345) % (1 << 31)
        return 1 + (self.random >> 8) % (2 * mean)

    def _measured(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
        """Learn which argument has a size, and what a large one is: an eighth beyond the largest so far."""
        if self.top < 0 and self.failures < MAX_UNSIZED_CALLS:
            given: list[tuple[int | str, Any]] = [*enumerate(args), *kwargs.items()]
            kinds = [(at, type(value)) for at, value in given]
            sized = [at for at, kind in kinds if kind in SIZED]
            whole = [at for at, kind in kinds if kind is int]
            if sized or whole:
                self.measure, self.at, self.top = (len, sized[0], 0) if sized else (None, whole[0], 0)
        if self.top < 0:
            return False
        try:
            value = self.sized(args, kwargs)
            size = value if self.measure is None else self.measure(value)
        except (TypeError, LookupError):
            return self.unmeasured() if self.count > MIN_SAMPLED_CALLS else False
        if type(size) is not int or size <= self.top:
            return False
        self.top = size + size // 8
        return True

    def sized(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the argument that has the size.

        Raises:
            LookupError: The call does not have the argument.
        """
        return kwargs[self.at] if isinstance(self.at, str) else args[self.at]

    def unmeasured(self) -> bool:
        """A call had no such argument, or one of another kind: it is not known to be large."""
        self.failures += 1
        if self.failures >= MAX_UNSIZED_CALLS:
            self.top = UNKNOWN
        return False


SIZED = (list, dict, set, frozenset, tuple, str, bytes, bytearray)
UNKNOWN = -1
"""Size of calls in which no argument has one."""
