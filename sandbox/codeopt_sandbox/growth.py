"""Growth of cost with input size, fitted to runs of cases of different sizes: "about n log n".

A class is reported only under these conditions:
- the sizes span MIN_SPAN
- `a + b * f(n)` with a fixed cost a >= 0 and b > 0 is within MAX_ERROR of the measurements
- the error of each other class is at least APART times as large

Otherwise nothing is reported: the better of two similar fits does not decide between two classes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeopt_sandbox.outcome import Case

MODELS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("constant", lambda n: 1.0),
    ("log n", lambda n: math.log(n)),
    ("sqrt n", lambda n: math.sqrt(n)),
    ("n", lambda n: n),
    ("n log n", lambda n: n * math.log(n)),
    ("n^1.5", lambda n: n**1.5),
    ("n^2", lambda n: n**2),
    ("n^3", lambda n: n**3),
    ("2^n", lambda n: 2.0**n),
)
"""Name and function; its factor and a fixed cost are fitted."""
LARGEST_EXPONENT = 60
"""Size beyond which no program has run 2^n steps."""
LARGEST_SIZE = 1e100
"""Size from which on no power of it is a number."""

RUN_FLOOR_S = 0.0003
"""Shorter runs of a program, less what an empty one takes, say nothing about growth."""
CALL_FLOOR_S = 0.00003
"""Shortest time of calls that tells anything, seconds; their clock is read just before and after them."""
MIN_SPAN = 16.0
"""Largest size over the smallest."""
MIN_POINTS = 4
"""Different sizes."""
MAX_ERROR = 0.12
"""Largest error of a fit that is good: what is left of the caches and of the machine in the least of some runs."""
APART = 2.5
"""Factor by which the error of every other class is larger."""
SMALLEST_ERROR = 0.01
"""Error below which one fit is no better than another."""
STEADY = 1.25
"""Longest over shortest time up to which cost is constant: a fixed cost with a small growing part fits also."""


@dataclass(frozen=True)
class Growth:
    """The model that fits best, and what the size was taken to be."""

    model: str
    size: str
    """`tokens` of the input, or `first number` where all inputs are about as long."""
    error: float
    """Root mean square of the relative residuals: 0.1 is 10 %."""


def sizes(cases: Sequence[Case]) -> tuple[str, list[float]]:
    """Name of the measure of size, and the size of each case."""
    tokens = [float(max(1, len(case.stdin.split()))) for case in cases]
    if tokens and max(tokens) >= MIN_SPAN * min(tokens):
        return "tokens", tokens
    firsts = [_first_number(case.stdin) for case in cases]
    return "first number", [max(1.0, first) for first in firsts]


def _first_number(data: bytes) -> float:
    for token in data.split()[:1]:
        try:
            value = float(token)
        except ValueError:
            return 1.0
        return value if math.isfinite(value) else 1.0
    return 1.0


@dataclass(frozen=True)
class GrowthPair:
    """Growth of the cost of two programs. Empty if it is unknown."""

    old: str
    new: str
    text: str
    """Growth of the old and the new program in words: `about n^2 -> about n`."""


UNKNOWN = GrowthPair("", "", "")


def pair(old: Growth | None, new: Growth | None) -> GrowthPair:
    """Growth of two programs with its text."""
    return GrowthPair(old.model if old else "", new.model if new else "", describe(old, new))


def fit(size: str, points: Sequence[tuple[float, float]], floor_s: float = RUN_FLOOR_S) -> Growth | None:
    """The class of (size, seconds) points; None where none fits well, or another fits nearly as well.

    floor_s: points below it are mostly the clock's own cost, and are left out.
    """
    useful = [(n, seconds) for n, seconds in points if seconds >= floor_s and 2 <= n <= LARGEST_SIZE]
    distinct = sorted({n for n, _ in useful})
    if len(distinct) < MIN_POINTS or distinct[-1] < MIN_SPAN * distinct[0]:
        return None
    constant = _error(useful, lambda n: 1.0)
    if max(seconds for _, seconds in useful) <= STEADY * min(seconds for _, seconds in useful):
        return Growth("constant", size, constant)
    found = sorted(
        (_error(useful, cost), name) for name, cost in MODELS[1:] if name != "2^n" or distinct[-1] <= LARGEST_EXPONENT
    )
    (error, name), (next_best, _) = found[:2]
    clear = error <= MAX_ERROR and min(next_best, constant) >= APART * max(error, SMALLEST_ERROR)
    return Growth(name, size, error) if clear else None


def _error(points: Sequence[tuple[float, float]], cost: Callable[[float], float]) -> float:
    """Root mean square of the relative residuals of `a + b * cost(n)`, a and b not negative, by least squares."""
    rows = [(1 / seconds, cost(n) / seconds) for n, seconds in points]
    top = max(x for _, x in rows)
    rows = [(one, x / top) for one, x in rows]  # of n^3 the squares would be too large
    aa, bb = sum(one * one for one, _ in rows), sum(x * x for _, x in rows)
    ab, a1, b1 = sum(one * x for one, x in rows), sum(one for one, _ in rows), sum(x for _, x in rows)
    determinant = aa * bb - ab * ab
    fits = [(a1 / aa, 0.0), (0.0, b1 / bb)]
    if determinant > 1e-12 * aa * bb:
        fits.append(((a1 * bb - b1 * ab) / determinant, (b1 * aa - a1 * ab) / determinant))
    return min(
        math.sqrt(sum((1 - a * one - b * x) ** 2 for one, x in rows) / len(rows)) for a, b in fits if a >= 0 and b >= 0
    )


def describe(original: Growth | None, candidate: Growth | None) -> str:
    """ "about n^2 -> about n log n", or as much of it as is known."""
    if original is None and candidate is None:
        return ""
    names = [f"about {growth.model}" if growth else "not clear" for growth in (original, candidate)]
    return names[0] if names[0] == names[1] else f"{names[0]} -> {names[1]}"
