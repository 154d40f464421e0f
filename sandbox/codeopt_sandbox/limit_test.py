"""Test of a slowdown against a limit: pass, fail, or more pairs are needed.

The null hypothesis is at the limit itself, not at equal speed. If the limit fails, "slower by no more than the limit"
is rejected. If it passes, "slower by at least the limit" is rejected. Each test is the test martingale of
codeopt_sandbox.sequential_test, so both can be evaluated after every pair at a stated error. The difference must also
exceed that between guests (codeopt_sandbox.guests). A test against a margin from both sides is Schuirmann's two
one-sided tests (J. Pharmacokinetics and Biopharmaceutics 15, 1987).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Protocol

from codeopt_sandbox.guests import LEAST_PAIRS
from codeopt_sandbox.sequential_test import Side, fewest_pairs, hodges_lehmann

PAIRS_FACTOR = 4
"""Most pairs of a test against a limit, as a multiple of those of a comparison."""
MOST_PAIRS_SAID = 100_000
"""Estimate of pairs from which on no number is given."""
_INEFFICIENCY = 1.5
"""Pairs of the mixture of bets over those of the best bet for Gaussian noise (benchmarks/errors/gate.py)."""
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


class Rejects(Protocol):
    """Test whether the center of paired differences exceeds `theta` on a side, with an error."""

    def __call__(self, theta: float, side: Side, error: float) -> bool: ...


def against_limit(rejects: Rejects, rule: LimitRule, alpha: float) -> LimitAnswer:
    """Return the answer from the pairs so far.

    Args:
        rejects: Test of the logarithms of original over candidate.
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
    wanted = spread * math.sqrt(-2 * _INEFFICIENCY * math.log(rule.alpha)) + apart * math.sqrt(pairs)
    if distance * math.sqrt(MOST_PAIRS_SAID) <= wanted:
        return None
    return max(math.ceil((wanted / distance) ** 2), pairs + 1, fewest_pairs(rule.alpha))
