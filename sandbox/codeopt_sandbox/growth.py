"""Growth of cost with input size, fitted to runs of cases of different sizes: "about n log n"."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeopt_sandbox.outcome import Case

MODELS: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("constant", lambda n: 0.0),
    ("log n", lambda n: math.log(math.log(n + 2) + 1)),
    ("sqrt n", lambda n: 0.5 * math.log(n)),
    ("n", lambda n: math.log(n)),
    ("n log n", lambda n: math.log(n) + math.log(math.log(n + 2))),
    ("n^1.5", lambda n: 1.5 * math.log(n)),
    ("n^2", lambda n: 2 * math.log(n)),
    ("n^3", lambda n: 3 * math.log(n)),
    ("2^n", lambda n: n * math.log(2)),
)
"""Name and logarithm of the function; the constant factor is fitted."""

RUN_FLOOR_S = 0.0003
"""Shorter runs of a program, less what an empty one takes, say nothing about growth."""
CALL_FLOOR_S = 0.00003
"""Shortest time of calls that tells anything, seconds; their clock is read just before and after them."""
MIN_SPAN = 8.0
MIN_POINTS = 4


@dataclass(frozen=True)
class Growth:
    """The model that fits best, and what the size was taken to be."""

    model: str
    size: str
    """`tokens` of the input, or `first number` where all inputs are about as long."""
    error: float
    """Root mean square of the logarithms' residuals: 0.1 is about 10 %."""


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
    """Growth of the cost of two programs; empty where nothing can be told."""

    old: str
    new: str
    text: str
    """Growth of the old and the new program in words: `about n^2 -> about n`."""


UNKNOWN = GrowthPair("", "", "")


def pair(old: Growth | None, new: Growth | None) -> GrowthPair:
    """Growth of two programs with its text."""
    return GrowthPair(old.model if old else "", new.model if new else "", describe(old, new))


def fit(size: str, points: Sequence[tuple[float, float]], floor_s: float = RUN_FLOOR_S) -> Growth | None:
    """The model nearest to (size, seconds) points; None when they are too few or too much alike to tell.

    floor_s: points below it are mostly the clock's own cost, and are left out.
    """
    useful = [(n, seconds) for n, seconds in points if seconds >= floor_s and n >= 2]
    distinct = sorted({n for n, _ in useful})
    if len(distinct) < MIN_POINTS or distinct[-1] < MIN_SPAN * distinct[0]:
        return None
    top = max(seconds for _, seconds in useful)
    best: Growth | None = None
    for name, log_of in MODELS:
        if name == "2^n" and distinct[-1] > 60:
            continue
        residuals = [(math.log(seconds) - log_of(n), seconds / top) for n, seconds in useful]
        # Long runs show the growth, short ones the fixed cost: weigh by time, though not so that one decides alone.
        weights = [math.sqrt(share) for _, share in residuals]
        middle = sum(r * w for (r, _), w in zip(residuals, weights, strict=True)) / sum(weights)
        error = math.sqrt(
            sum(w * (r - middle) ** 2 for (r, _), w in zip(residuals, weights, strict=True)) / sum(weights)
        )
        if best is None or error < best.error:
            best = Growth(name, size, error)
    return best


def describe(original: Growth | None, candidate: Growth | None) -> str:
    """ "about n^2 -> about n log n", or as much of it as is known."""
    if original is None and candidate is None:
        return ""
    names = [f"about {growth.model}" if growth else "too quick to tell" for growth in (original, candidate)]
    return names[0] if names[0] == names[1] else f"{names[0]} -> {names[1]}"
