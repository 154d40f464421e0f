"""Moving figures: the target is a generator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

SCALE = 1000


def lowest(values: Iterable[int], size: int) -> Iterator[int]:
    """The least of each window of `size` values, as they come.

    >>> list(lowest([3, 1, 2, 5], 2))
    [1, 1, 2]
    """
    window: list[int] = []
    for value in values:
        window.append(value)
        if len(window) > size:
            window.pop(0)
        if len(window) == size:
            yield min(window)
