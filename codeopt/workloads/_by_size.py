"""Time the original and a change on smaller inputs than the timed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, sqrt
from typing import TypeVar

from codeopt.core.by_size import AtSize, BySize
from codeopt.core.revision import Revision
from codeopt.core.words import Speedup

T = TypeVar("T")

SPAN = 4.0
"""Least ratio of the timed size to the smallest one: nearer ones say nothing new."""
NEAR = 2.0
"""Most by which a known input may be smaller or larger than the middle one that is wanted."""
ROUNDS = 2
"""Each has two runs of each side. One is enough where all sizes agree: with that 4 runs of inputs that are at most half
as long are below 5 % of the CPU time of the 40 and more runs of a verdict."""


def smaller_ones(
    known: Sequence[tuple[float, T]], largest: float, made: Callable[[float], tuple[float, T] | None]
) -> list[tuple[float, T]]:
    """The smallest input and a middle one, with their sizes.

    Args:
        known: Inputs by size.
        largest: The size that is timed.
        made: Makes an input of about a size, where no known one is near the middle.
    """
    known = [each for each in known if each[0] >= 1]  # of an empty input only the fixed cost is known
    smallest = min(known, key=lambda each: each[0], default=None)
    if smallest is None or smallest[0] * SPAN > largest:
        return []
    wanted = sqrt(smallest[0] * largest)
    nearest = min(known, key=lambda each: abs(log(each[0] / wanted)))
    middle = nearest if 1 / NEAR <= nearest[0] / wanted <= NEAR else made(wanted)
    return [smallest, middle] if middle and smallest[0] < middle[0] < largest else [smallest]


def by_size(
    unit: str,
    smaller: Sequence[tuple[float, T]],
    timed: tuple[float, Speedup],
    sides: tuple[Revision, Revision],
    seconds: Callable[[Revision, Sequence[T]], Sequence[float] | None],
) -> BySize:
    """The least time of each side on each input, with the row that the verdict has of the timed size.

    seconds: time of a program on each of some inputs; None where one of them fails.
    """
    size, figures = timed
    if not smaller or figures.before is None or figures.after is None or figures.unit == "bytes":
        return BySize()
    (old, new), inputs, found = sides, [each for _, each in smaller], BySize()
    least: dict[Revision, Sequence[float]] = {}
    for _ in range(ROUNDS):
        for side in (old, new, new, old):  # a drift of the machine affects both equally
            took = seconds(side, inputs)
            if took is None:
                return BySize()
            least[side] = [min(pair) for pair in zip(took, least.get(side, took), strict=True)]
        times = zip((each for each, _ in smaller), least[old], least[new], strict=True)
        rows = [AtSize(each, was / now, was, now) for each, was, now in times]
        found = BySize(unit, (*rows, AtSize(size, figures.ratio, figures.before, figures.after)))
        if not found.disagreement:
            break
    return found
