"""Anytime-valid test of paired measurements with a stated error: a test martingale on paired log ratios.

Original and candidate run next to each other in random order, so if they are equally fast, each difference of
logarithms is as likely to be positive as negative, for any noise. Then

    E_n = prod_i (1 + c_i * sign(d_i - theta)),  0 <= c_i < 1 a function of |d_1 - theta| ... |d_i - theta|

has expectation at most 1 for every theta at or above the true centre, and by Ville's inequality it ever reaches
1/alpha with probability at most alpha: one may look after every pair and stop as soon as it does. Testing by betting:
Ramdas, Gruenwald, Vovk, Shafer, "Game-theoretic statistics and safe anytime-valid inference" (Statistical Science,
2023); for a symmetric null: Ramdas, Ruf, Larsson, Koolen (2020). The bets are a mixture, so that both a small steady
difference and a large one are found early. No assumption of normality, no fixed number of looks.

A large ratio ends early. No bet on signs can win 1/alpha in fewer than log2(1/alpha) pairs, so 8 pairs were timed of a
program that is 35 times as fast. What few pairs say depends on their sizes also: "equally fast" is rejected as well if
each of the first n = FAR_PAIRS differences exceeds theta by log(FAR) or more. Under equal speed the order within each
pair is a fair coin, whatever the sizes are and however they hang together, so

    P(all n exceed theta by log(FAR)) = P(all n are off by log(FAR) or more, either way) / 2^n = r / 2^n.

It is one look, after pair n, and not one after each pair; later pairs do not change it. The rule spends alpha / 2^n on
it, and the martingale has the other alpha * (1 - 1 / 2^n): by the union bound the two together are wrong with
probability at most alpha, whenever one stops, if r <= alpha, that is, if of a hundred comparisons of equal programs at
1 % at most one has noise that alone makes each of its first four pairs three times as long on one side. That is an
assumption on the machine, which a sign test does not need: benchmarks/errors/calibration.py counts r on real pairs. If
it fails wholly (r = 1), the error is alpha * (1 - 1 / 2^n) + 1 / 2^n. A bet on sizes in a null of given noise is the
likelihood ratio's e-value of Gruenwald, de Heide and Koolen, "Safe testing" (JRSS B, 2024); this is its simplest form.
Below LEAST_ALPHA nothing is spent, as no machine was measured to be that quiet.

How much is bet only decides how soon the game ends, never how often it is wrongly won. On a shared machine a few pairs
in ten are off by half, either way, because something came in between: a difference far from the others says nothing
about which program is faster, and little is bet on it (as with Huber's and Hampel's redescending estimates).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from functools import cache
from itertools import count
from statistics import median
from typing import Literal

Side = Literal[1, -1]

FAR = 3.0
"""Ratio of a pair from which on few pairs decide."""
FAR_PAIRS = 4
"""Number of first pairs that must all be so far away."""
LEAST_ALPHA = 0.001
"""Error below which no large ratio ends early: that rarely quiet pairs were not counted."""

_BETS = ((0.35, 2, 0.2), (1.0, 2, 0.3), (3.0, 3, 0.5))
"""(steepness, decay, weight): on a difference of u typical sizes, tanh(steepness * u) / (1 + (u / _FAR) ** decay)."""
_FAR = 3.0
_FARTHEST = 1e6  # typical sizes: larger differences get no bet
_LARGEST_BET = 0.97  # one outlier must not end the game


def log_e_value(differences: Sequence[float], theta: float, side: Side, *, now: bool = False) -> float:
    """Logarithm of the largest E so far against "the centre is not above theta" (side 1) or "not below" (side -1).

    now: that of the last pair. What E was may count for a theta that was always the same, and not for one that came
    nearer meanwhile.
    """
    logs = [math.log(weight) for *_, weight in _BETS]
    sizes: list[float] = []  # so far, in order of size
    best = last = 0.0
    for difference in differences:
        x = side * (difference - theta)
        insort(sizes, abs(x))
        size = min(abs(x) / max(_middle(sizes), 1e-12), _FARTHEST)
        for at, (steepness, decay, _) in enumerate(_BETS):
            bet = _LARGEST_BET * math.tanh(steepness * size) / (1 + (size / _FAR) ** decay)
            logs[at] += math.log1p(math.copysign(bet, x) if x else 0.0)
        top = max(logs)
        last = top + math.log(sum(math.exp(value - top) for value in logs))
        best = max(best, last)
    return last if now else best


def _middle(ordered: Sequence[float]) -> float:
    return (ordered[len(ordered) // 2] + ordered[(len(ordered) - 1) // 2]) / 2


@cache
def fewest_pairs(alpha: float) -> int:
    """Least number of equal pairs, none of them far, after which the test can decide: 6 at 0.05, 8 at 0.01."""
    return next(n for n in count(1) if rejects_null([1.0] * n, 0.0, 1, alpha))


def rejects_null(differences: Sequence[float], theta: float, side: Side, alpha: float, *, now: bool = False) -> bool:
    """Return True if the center is above theta (side 1) or below it (side -1), with error at most alpha.

    `now` uses the last E only, and no earlier one.
    """
    if alpha >= LEAST_ALPHA and is_far(differences, theta, side):
        return True
    left = alpha * (1 - 0.5**FAR_PAIRS) if alpha >= LEAST_ALPHA else alpha
    return log_e_value(differences, theta, side, now=now) >= -math.log(left)


def is_far(differences: Sequence[float], theta: float, side: Side) -> bool:
    """Return True if each of the first pairs is away from theta, above (side 1) or below it, by a factor of FAR."""
    first = differences[:FAR_PAIRS]
    return len(first) == FAR_PAIRS and all(side * (each - theta) >= math.log(FAR) for each in first)


def hodges_lehmann(differences: Sequence[float]) -> float:
    """Hodges-Lehmann: the median of all pairwise means. Robust, and nearly as exact as the mean."""
    n = len(differences)
    return median((differences[i] + differences[j]) / 2 for i in range(n) for j in range(i, n))


def interval(differences: Sequence[float], alpha: float) -> tuple[float, float]:
    """Every centre that is not rejected at alpha/2 on its side; infinite on a side where none is yet."""
    middle = hodges_lehmann(differences)
    return -_reach([-d for d in differences], -middle, alpha / 2), _reach(differences, middle, alpha / 2)


def _reach(differences: Sequence[float], middle: float, alpha: float) -> float:
    """Distance above the middle at which "the centre is below" is certain; by bisection."""
    spread = max(differences) - min(differences)
    low, high = middle, max(differences) + max(10 * spread, math.log(FAR)) + 1e-6
    if not rejects_null(differences, high, -1, alpha):
        return math.inf
    for _ in range(40):
        between = (low + high) / 2
        low, high = (low, between) if rejects_null(differences, between, -1, alpha) else (between, high)
    return high
