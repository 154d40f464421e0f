"""Times of a change at a few sizes of its input: what is faster for long inputs may be slower for short ones."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

from codeopt.core.words import factor

WORTH = 0.05
"""Least gain and least loss that count: below it two sizes do not disagree. As the minimum gain of a change."""


@dataclass(frozen=True)
class AtSize:
    """Times of one call or run."""

    size: float
    ratio: float
    """Speedup, OLD over NEW. Below 1: slower."""
    before: float
    """Seconds of the original."""
    after: float


@dataclass(frozen=True)
class BySize:
    """Times at the smallest known size, at a middle one, and at the size that is timed. Empty if they are unknown."""

    unit: str = ""
    """What a size counts: `items`, `tokens`; `n` where it is a number itself."""
    rows: tuple[AtSize, ...] = ()
    """From small to large."""

    @property
    def words(self) -> str:
        """`5 items 0.9x, 120 items 3.1x, 3,000 items 41x`."""
        return ", ".join(f"{self._at(row.size)} {factor(row.ratio)}" for row in self.rows)

    @property
    def disagreement(self) -> str:
        """`slower below about 40 items (5 items: 0.9x)`. Empty where no size disagrees with the timed one."""
        if not self.rows:
            return ""
        *smaller, timed = self.rows
        is_gain = timed.ratio > 1
        others = [at for at, row in enumerate(smaller) if (row.ratio < 1 - WORTH if is_gain else row.ratio > 1 + WORTH)]
        if not others or 1 - WORTH <= timed.ratio <= 1 + WORTH:
            return ""
        worst = max((smaller[at] for at in others), key=lambda row: abs(log(row.ratio)))
        below, above = self.rows[others[-1]], self.rows[others[-1] + 1]
        # Sizes and ratios span orders of magnitude: the line between the two points is one of their logarithms.
        share = log(below.ratio) / (log(below.ratio) - log(above.ratio))
        size = exp((1 - share) * log(below.size) + share * log(above.size))
        word = "slower" if is_gain else "faster"
        return f"{word} below about {self._at(float(f'{size:.2g}'))} ({self._at(worst.size)}: {factor(worst.ratio)})"

    def _at(self, size: float) -> str:
        count = f"{size:,.0f}"
        unit = self.unit.removesuffix("s") if count == "1" else self.unit
        return f"n = {count}" if self.unit == "n" else f"{count} {unit}"
