"""Variation between guests: all pairs of one share its layout of memory, its pages and its caches, and no number of
pairs within it shows what that is worth.

The model is that of a meta-analysis with random effects: in guest g the logarithm of original / candidate is
centre + b_g, b_g normal with variance tau^2. With k guests, m_g the middle of one's pairs and w_g their share of all:

    between = max(0, sum (m_g - mean m)^2 - (k - 1) * mean(s^2 / n_g))      s: spread of a pair about its guest's middle
    tau^2   = (PRIOR_GUESTS * PRIOR_SD^2 + between) / (PRIOR_GUESTS + k - 1)
    margin  = t(PRIOR_GUESTS + k - 1, 1 - error) * tau * sqrt(sum w_g^2)

`between` less what pairs explain is DerSimonian and Laird's moment estimate (Controlled Clinical Trials 7, 1986). Two
guests alone would have a t of 12.7 and say nothing, so the variance is moderated by a prior worth a few guests, with
the degrees of freedom of both (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). The size of
the prior is measured by benchmarks/errors/between_guests.py.

A comparison, and a test against a limit, give one share of their error to the pairs and the other to the guests
(Bonferroni), so that what they state is the error of both: WITHIN_SHARE.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median

from codeopt_sandbox.sequential_test import hodges_lehmann

FIRST_PAIRS = 5
"""Pairs of the first guest and of the second, so that the fewest that decide need two."""
GUEST_PAIRS = 10
"""Pairs of each further guest.

If later guests had more pairs, the last would have half of the weight, and more pairs would not reduce the margin
further.
"""
LEAST_PAIRS = 3
"""Pairs from which on a guest's middle counts."""
WITHIN_SHARE = 2 / 3
"""Share of the error that pairs may use; the rest is that of guests."""
PRIOR_GUESTS = 4
"""Number of guests that the prior is worth."""
PRIOR_SD = 0.01
"""Standard deviation between guests before any is seen: up to 1.6 % in nine rows of twelve."""
_MAD = 1.4826
"""Standard deviation over the median absolute deviation, for Gaussian noise."""


def begins_guest(pairs: int) -> bool:
    """Return True if the next pair is the first of a fresh guest: pair 0, 5, 10, 20, 30 ..."""
    return pairs == FIRST_PAIRS or pairs % GUEST_PAIRS == 0


def looks(guests: int) -> float:
    """Return the number by which an error is divided if the test is repeated after every guest, as for a limit.

    It is one, and one more for each doubling of the guests. Within a doubling the middle changes little
    (benchmarks/errors/gate.py). A comparison ends at a missing gain and needs no such division.
    """
    return 1 + math.log2(max(1, guests))


def margin(differences: Sequence[float], starts: Sequence[int], error: float, prior: float = PRIOR_SD) -> float:
    """Distance from the centre that guests explain, exceeded on one side with a chance of `error`.

    differences: logarithms of original / candidate, one a pair; starts: the first pair of each guest.
    """
    ends = [*starts, len(differences)]
    groups = [group for at, end in pairwise(ends) if len(group := differences[at:end]) >= LEAST_PAIRS]
    if not groups:
        return math.inf
    pairs = sum(map(len, groups))
    weight = math.sqrt(sum((len(group) / pairs) ** 2 for group in groups))
    freedom = PRIOR_GUESTS + len(groups) - 1
    variance = (PRIOR_GUESTS * prior**2 + between(groups)) / freedom
    return student_quantile(freedom, 1 - error) * math.sqrt(variance) * weight


def between(groups: Sequence[Sequence[float]]) -> float:
    """Return the sum of squares of the guests' middles about their mean, without the part that the spread of pairs
    explains."""
    middles = [hodges_lehmann(group) for group in groups]
    apart = [difference - middle for group, middle in zip(groups, middles, strict=True) for difference in group]
    spread = _MAD * median(map(abs, apart))
    explained = (len(groups) - 1) * fmean(spread**2 / len(group) for group in groups)
    return max(0.0, sum((middle - fmean(middles)) ** 2 for middle in middles) - explained)


def student_quantile(freedom: int, chance: float) -> float:
    """Quantile of Student's t above its middle, by bisection."""
    low, high = 0.0, 1e4
    for _ in range(60):
        at = (low + high) / 2
        low, high = (at, high) if _student_below(freedom, at) < chance else (low, at)
    return high


def _student_below(freedom: int, t: float) -> float:
    """Distribution of Student's t for t >= 0, the finite sums of Abramowitz and Stegun 26.7.3 and 26.7.4."""
    sine, cosine = t / math.hypot(t, math.sqrt(freedom)), math.sqrt(freedom) / math.hypot(t, math.sqrt(freedom))
    odd = freedom % 2
    term = total = (cosine if freedom > 1 else 0.0) if odd else 1.0
    for at in range(3 if odd else 2, freedom - 1, 2):
        term *= cosine**2 * (at - 1) / at
        total += term
    within = 2 / math.pi * (math.asin(sine) + sine * total) if odd else sine * total
    return (1 + within) / 2
