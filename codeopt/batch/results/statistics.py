"""Figures over problems with their uncertainty: bootstrap intervals, and paired tests of two batches."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

FLIPS = 10_000
CONFIDENCE = 0.95
SEED = 20231117  # any; fixed, so that the same batch always gives the same report


@dataclass(frozen=True)
class Estimate:
    """A figure with its 95 % interval; both ends None when there is nothing to estimate from."""

    value: float
    low: float | None
    high: float | None

    def shown(self, form: str) -> tuple[str, str]:
        """The figure, and its interval where that is known, in a format of numbers."""
        span = "" if self.low is None or self.high is None else f"{self.low:{form}} - {self.high:{form}}"
        return f"{self.value:{form}}", span


Statistic = Callable[[Sequence[float]], float]


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean; 0 of nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def estimate(values: Sequence[float], statistic: Statistic) -> Estimate:
    """The statistic with a percentile bootstrap over problems."""
    value = statistic(values)
    if len(values) < 2:
        return Estimate(value, None, None)
    draw = random.Random(SEED)
    # Fewer of a large set, whose interval is narrow anyway: the report should take seconds.
    resamples = max(1000, min(4000, 4_000_000 // len(values)))
    found = sorted(statistic(draw.choices(values, k=len(values))) for _ in range(resamples))
    tail, last = (1 - CONFIDENCE) / 2, resamples - 1
    return Estimate(value, found[round(tail * last)], found[round((1 - tail) * last)])


def estimate_geometric(values: Sequence[float]) -> Estimate:
    """Geometric mean with its interval: the bootstrap of the mean logarithm."""
    found = estimate([math.log(value) for value in values], mean)
    low, high = (None if end is None else math.exp(end) for end in (found.low, found.high))
    return Estimate(math.exp(found.value), low, high)


def share(flags: Sequence[bool]) -> Estimate:
    """A share with its interval: the bootstrap, and Wilson's if all are equal, of which resampling sees no variance."""
    values = [float(flag) for flag in flags]
    if values and len(set(values)) == 1:
        return wilson(sum(flags), len(flags))
    return estimate(values, mean)


def wilson(hits: int, total: int, z: float = 1.96) -> Estimate:
    """Wilson's score interval of a share."""
    p = hits / total
    centre = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total)) / (1 + z * z / total)
    return Estimate(p, max(0.0, centre - half), min(1.0, centre + half))


def sign_flip_p(differences: Sequence[float]) -> float:
    """Two-sided p of paired differences by random sign flips: no difference at all would be as large so often."""
    seen = abs(math.fsum(differences))
    if not differences or seen == 0:
        return 1.0
    draw = random.Random(SEED)
    sizes = [abs(difference) for difference in differences if difference]
    flips = FLIPS if len(sizes) < 2000 else FLIPS // 10
    hits = sum(
        abs(math.fsum(size if draw.getrandbits(1) else -size for size in sizes)) >= seen * (1 - 1e-12)
        for _ in range(flips)
    )
    return (hits + 1) / (flips + 1)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Two-sided exact p of McNemar's test: the binomial tail of the problems that only one of the two solved."""
    total = only_first + only_second
    if total == 0:
        return 1.0
    tail = sum(math.comb(total, k) for k in range(min(only_first, only_second) + 1))
    return min(1.0, float(2 * tail / 2**total))
