"""Distances: the target is a decorated function."""

from __future__ import annotations

import functools
from math import hypot

UNREACHED = -1.0
CALLS_MADE = {}


def checked(least):
    """A decorator that refuses fewer points than `least`."""

    def decorate(function):
        @functools.wraps(function)
        def inner(points, *args, **kwargs):
            if len(points) < least:
                raise ValueError(f"{len(points)} points, at least {least} are needed")
            return function(points, *args, **kwargs)

        return inner

    return decorate


@checked(2)
def farthest(points, origin=None):
    """The two points that are farthest from each other, and how far.

    >>> farthest([(0, 0), (3, 4), (1, 1)])
    (5.0, (0, 0), (3, 4))
    """
    best = (UNREACHED, None, None)
    for first in points:
        for second in points:
            if origin is not None and first != origin:
                continue
            distance = hypot(first[0] - second[0], first[1] - second[1])
            if distance > best[0]:
                best = (distance, first, second)
    return best
