"""How often the gate of CI fails: `codeopt compare --fail-if-slower`, simulated with known slowdowns.

    python -m benchmarks.errors.gate [--limits 0.01 0.05] [--times 0 1 2] [--trials 400] [--noise 0.02]
        [--guests 0 0.01]

Nothing is timed: the differences of pairs are drawn. A pair's difference is Gaussian with a spread of --noise, and one
pair in ten is off by up to half, either way, as on a shared machine (spreads measured: calibration.py). Each
guest has a bias of its own, Gaussian with a spread of --guests (measured: between_guests.py). The test, its
bets, its guests and its cap are those of codeopt_sandbox. `by pairs alone` is the same test of the same pairs without
an allowance for guests, which was the gate before: how often that fails.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

from codeopt_sandbox.compare import Series, StoppingRule
from codeopt_sandbox.sequential_test import LimitAnswer, LimitRule, begins_guest

DISTURBED = 0.1
"""Share of pairs that something came in between."""
ESTIMATED_AFTER = 30
"""Pairs after which the pairs that it takes are estimated."""

_EACH, _STEP = 40, 8
"""Pairs up to which an answer is asked for after each, then after every eighth: an answer is never taken back."""


@dataclass(frozen=True)
class Truth:
    """True slowdown of a simulated gate, and the spreads that its pairs are drawn with."""

    slowdown: float
    noise: float
    """Spread of a pair within its guest."""
    between: float
    """Spread between guests."""


@dataclass
class Answers:
    """Answers of the gate at one limit and one truth, one a trial."""

    answers: Counter[LimitAnswer] = field(default_factory=Counter)
    pairs: list[int] = field(default_factory=list)
    fails_by_pairs_alone: int = 0
    needed: list[float] = field(default_factory=list)
    """Pairs it took over those that were estimated after ESTIMATED_AFTER."""


def draw_pair(draw: random.Random, truth: Truth, bias: float) -> float:
    """Logarithm of original / candidate in one pair."""
    off = draw.uniform(-0.5, 0.5) if draw.random() < DISTURBED else draw.gauss(0.0, truth.noise)
    return off + bias - math.log1p(truth.slowdown)


def draw_pairs(draw: random.Random, truth: Truth, number: int) -> Series:
    """Pairs with the first one of each guest."""
    series, bias = Series("wall"), 0.0
    for pairs in range(number):
        if begins_guest(pairs):
            series.guests.append(pairs)
            bias = draw.gauss(0.0, truth.between)
        series.differences.append(draw_pair(draw, truth, bias))
    return series


def answered(drawn: Series, rule: LimitRule, guests: Sequence[int]) -> Series:
    """The pairs after which there is an answer, all of them where there is none."""
    pairs, answer = StoppingRule().min_pairs - 1, LimitAnswer.INCONCLUSIVE
    while answer is LimitAnswer.INCONCLUSIVE and pairs < len(drawn.differences):
        pairs += 1 if pairs < _EACH else _STEP
        so_far = first(drawn, pairs, guests)
        answer, _ = so_far.answer(rule)
    return so_far


def first(drawn: Series, pairs: int, guests: Sequence[int]) -> Series:
    """The first pairs of a series, and of its guests."""
    return Series("wall", differences=drawn.differences[:pairs], guests=[at for at in guests if at < pairs])


def trial(found: Answers, draw: random.Random, truth: Truth, rule: LimitRule) -> None:
    """One run of the gate, and of the one before on the same pairs."""
    drawn = draw_pairs(draw, truth, rule.max_pairs)
    took = answered(drawn, rule, drawn.guests)
    answer, pairs = took.answer(rule)[0], len(took.differences)
    found.answers[answer] += 1
    found.pairs.append(pairs)
    if pairs > ESTIMATED_AFTER and answer is not LimitAnswer.INCONCLUSIVE:
        estimate = first(drawn, ESTIMATED_AFTER, drawn.guests).against(rule).pairs_needed
        found.needed += [pairs / estimate] if estimate else []
    found.fails_by_pairs_alone += answered(drawn, rule, ()).answer(rule)[0] is LimitAnswer.FAIL


def row(limit: float, times: float, noise: float, between: float, trials: int) -> str:
    """One line of the table."""
    draw, found = random.Random(f"{limit} {times} {noise} {between}"), Answers()
    for _ in range(trials):
        trial(found, draw, Truth(limit * times, noise, between), LimitRule(limit))
    fails, holds, unknown = (
        f"{found.answers[each] / trials:.1%}" for each in (LimitAnswer.FAIL, LimitAnswer.PASS, LimitAnswer.INCONCLUSIVE)
    )
    took = f"{median(found.needed):.1f}" if found.needed else "-"
    return (
        f"| {limit:.0%} | {noise:.0%} | {between:.1%} | {limit * times:.2%} | {fails} | {holds} | {unknown} "
        f"| {median(found.pairs):.0f} | {took} | {found.fails_by_pairs_alone / trials:.1%} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--limits", type=float, nargs="+", default=[0.01, 0.02, 0.05, 0.10])
    parser.add_argument("--times", type=float, nargs="+", default=[0.0, 0.5, 1.0, 1.5, 2.0])
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.02])
    parser.add_argument("--guests", type=float, nargs="+", default=[0.0, 0.005, 0.01, 0.02])
    arguments = parser.parse_args()
    print("| limit | noise | guests | true | fails | holds | cannot tell | pairs | pairs / estimate | by pairs alone |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for limit in arguments.limits:
        for noise in arguments.noise:
            for between in arguments.guests:
                for times in arguments.times:
                    print(row(limit, times, noise, between, arguments.trials), flush=True)


if __name__ == "__main__":
    main()
