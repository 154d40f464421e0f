"""Anytime-valid tests of paired measurements: faster or not, within a limit, and what varies from guest to guest.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from itertools import count, pairwise
from statistics import fmean, median
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
        # typical sizes: larger differences get no bet
        usual = (sizes[len(sizes) // 2] + sizes[(len(sizes) - 1) // 2]) / 2
        size = min(abs(x) / max(usual, 1e-12), 1e6)
        for at, (steepness, decay, _) in enumerate(_BETS):
            # one outlier must not end the game
            bet = 0.97 * math.tanh(steepness * size) / (1 + (size / _FAR) ** decay)
            logs[at] += math.log1p(math.copysign(bet, x) if x else 0.0)
        top = max(logs)
        last = top + math.log(sum(math.exp(value - top) for value in logs))
        best = max(best, last)
    return last if now else best


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


# Test of a slowdown against a limit: pass, fail, or more pairs are needed. The null hypothesis is at the limit
# itself, not at equal speed. If the limit fails, "slower by no more than the limit" is rejected. If it passes,
# "slower by at least the limit" is rejected. Each test is the test martingale of codeopt_sandbox.sequential_test, so
# both can be evaluated after every pair at a stated error. The difference must also exceed that between guests
# (codeopt_sandbox.sequential_test). A test against a margin from both sides is Schuirmann's two one-sided tests (J.
# Pharmacokinetics and Biopharmaceutics 15, 1987).

PAIRS_FACTOR = 4
"""Most pairs of a test against a limit, as a multiple of those of a comparison."""
MOST_PAIRS_SAID = 100_000
"""Estimate of pairs from which on no number is given."""
_MAD = 1.4826
"""Standard deviation over the median absolute deviation, for Gaussian noise."""


class LimitAnswer(StrEnum):
    """Answer of a test against a limit."""

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class LimitRule:
    """A limit on a slowdown, with the error rates and the effort of its test."""

    limit: float
    """Largest allowed increase of time, as a share: 0.05 is 5 % more time."""
    alpha: float = 0.01
    """Chance of calling a limit broken that holds, and as much of the opposite."""
    max_pairs: int = 480
    max_seconds: float = 60.0
    """Time after which no pair is begun, seconds."""

    @property
    def centre(self) -> float:
        """The logarithm of original / candidate at the limit."""
        return -math.log1p(self.limit)


@dataclass(frozen=True)
class LimitTest:
    """Result of a test against a limit."""

    limit: float
    answer: LimitAnswer
    alpha: float
    pairs: int
    pairs_needed: int | None = None
    """Estimated pairs that an answer takes; None where there is one, and where the slowdown is too near the limit."""
    metric: str = "cpu"
    """Metric that gave the answer."""

    @property
    def words(self) -> str:
        """The answer for people."""
        limit = f"the limit of {self.limit * 100:g}%"
        if self.answer is LimitAnswer.INCONCLUSIVE:
            needed = f"about {self.pairs_needed}" if self.pairs_needed else f"more than {MOST_PAIRS_SAID}"
            return f"inconclusive about {limit}: {self.pairs} pairs were timed, {needed} are needed"
        by_wall = " by wall time" * (self.metric == "wall")
        said = "holds" if self.answer is LimitAnswer.PASS else f"is broken{by_wall}"
        return f"{limit} {said} (error at most {self.alpha:.0%}, {self.pairs} pairs)"


def against_limit(rejects: Callable[[float, Side, float], bool], rule: LimitRule, alpha: float) -> LimitAnswer:
    """Return the answer from the pairs so far.

    Args:
        rejects: Tests whether the center of the logarithms of original over candidate exceeds a number on a side, with
            an error.
        rule: The limit.
        alpha: Share of the rule's error for a failed limit.
    """
    if rejects(rule.centre, -1, alpha):
        return LimitAnswer.FAIL
    return LimitAnswer.PASS if rejects(rule.centre, 1, rule.alpha) else LimitAnswer.INCONCLUSIVE


def pairs_needed(differences: Sequence[float], rule: LimitRule, apart: float = 0.0) -> int | None:
    """Estimate the number of pairs for an answer, if noise and distance from the limit stay. None if it is too large.

    A bet on a distance of d gains (d / spread)^2 / 2 a pair (Kelly), and -log(alpha) is needed. `apart` is the part of
    the present distance that guests explain. It falls with the root of their number, and each guest has equally many
    pairs.
    """
    pairs = len(differences)
    if pairs < LEAST_PAIRS:
        return fewest_pairs(rule.alpha)
    middle = hodges_lehmann(differences)
    spread = _MAD * median(abs(each - middle) for each in differences)
    distance = abs(middle - rule.centre)
    # pairs of the mixture of bets over those of the best bet for Gaussian noise (benchmarks/errors/gate.py)
    wanted = spread * math.sqrt(-2 * 1.5 * math.log(rule.alpha)) + apart * math.sqrt(pairs)
    if distance * math.sqrt(MOST_PAIRS_SAID) <= wanted:
        return None
    return max(math.ceil((wanted / distance) ** 2), pairs + 1, fewest_pairs(rule.alpha))


# Variation between guests: all pairs of one share its layout of memory, its pages and its caches, and no number of
# pairs within it shows what that is worth.
#
# The model is that of a meta-analysis with random effects: in guest g the logarithm of original / candidate is
# centre + b_g, b_g normal with variance tau^2. With k guests, m_g the middle of one's pairs and w_g their share of all:
#
#  between = max(0, sum (m_g - mean m)^2 - (k - 1) * mean(s^2 / n_g))  s: spread of a pair about its guest's middle
#     tau^2   = (PRIOR_GUESTS * PRIOR_SD^2 + between) / (PRIOR_GUESTS + k - 1)
#     margin  = t(PRIOR_GUESTS + k - 1, 1 - error) * tau * sqrt(sum w_g^2)
#
# `between` less what pairs explain is DerSimonian and Laird's moment estimate (Controlled Clinical Trials 7, 1986).
# Two guests alone would have a t of 12.7 and say nothing, so the variance is moderated by a prior worth a few guests,
# with the degrees of freedom of both (Smyth, Statistical Applications in Genetics and Molecular Biology 3, 2004). The
# size of the prior is measured by benchmarks/errors/between_guests.py.
#
# A comparison, and a test against a limit, give one share of their error to the pairs and the other to the guests
# (Bonferroni), so that what they state is the error of both: WITHIN_SHARE.

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
    """Quantile of Student's t above its middle, by bisection of its distribution: for t >= 0 the finite sums of
    Abramowitz and Stegun 26.7.3 and 26.7.4."""
    low, high, odd = 0.0, 1e4, freedom % 2
    for _ in range(60):
        t = (low + high) / 2
        sine, cosine = t / math.hypot(t, math.sqrt(freedom)), math.sqrt(freedom) / math.hypot(t, math.sqrt(freedom))
        term = total = (cosine if freedom > 1 else 0.0) if odd else 1.0
        for at in range(3 if odd else 2, freedom - 1, 2):
            term *= cosine**2 * (at - 1) / at
            total += term
        within = 2 / math.pi * (math.asin(sine) + sine * total) if odd else sine * total
        low, high = (t, high) if (1 + within) / 2 < chance else (low, t)
    return high
