"""How others decide that a program became faster, to be judged on the same measurements as our rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance

PIE_TRIALS = 25
CODEFLASH_LOOPS = 5


def pie_says_faster(original: Sequence[float], candidate: Sequence[float]) -> bool:
    """The PIE harness: 25 trials each, the first dropped, a t-test at 5 %, and at least 5 % less time."""
    old, new = original[1:PIE_TRIALS], candidate[1:PIE_TRIALS]
    return fmean(old) / fmean(new) > 1.05 and welch_p(old, new) < 0.05


def codeflash_says_faster(original: Sequence[float], candidate: Sequence[float]) -> bool:
    """codeflash: the minimum of at least 5 loops for each input (here one), and more than 5 % gain."""
    return min(original[:CODEFLASH_LOOPS]) / min(candidate[:CODEFLASH_LOOPS]) - 1 > 0.05


def welch_p(a: Sequence[float], b: Sequence[float]) -> float:
    """Two-sided p of Welch's t-test."""
    va, vb = variance(a) / len(a), variance(b) / len(b)
    if va + vb == 0:
        return 1.0
    t = abs(fmean(a) - fmean(b)) / math.sqrt(va + vb)
    freedom = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    return 2 * _t_tail(t, freedom)


def _t_tail(t: float, freedom: float, steps: int = 2000) -> float:
    """P(T > t) by Simpson's rule over the density; the tail beyond 60 is nothing."""
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * math.pi)

    def density(x: float) -> float:
        return math.exp(log_scale - (freedom + 1) / 2 * math.log1p(x * x / freedom))

    end = t + 60
    width = (end - t) / steps
    inner = sum((4 if k % 2 else 2) * density(t + k * width) for k in range(1, steps))
    return (density(t) + inner + density(end)) * width / 3
