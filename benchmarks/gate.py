"""How often the gate of CI fails: `codeopt compare --fail-if-slower`, simulated with known slowdowns.

    python -m benchmarks.gate [--limits 0.01 0.05] [--times 0.5 0.8 1.0 1.2 1.5 2.0] [--trials 400] [--noise 0.02]

Nothing is timed: the differences of pairs are drawn. A pair's difference is Gaussian with a spread of --noise, and one
pair in ten is off by up to half, either way, as on a shared machine (spreads measured: benchmarks/calibration.py). The
test, its bets and its cap are those of codeopt_sandbox. `old rule`: slower at 0.01 by the comparison that stops as soon
as it decides, and a ratio beyond the limit, which was the gate before.
"""

from __future__ import annotations

import argparse
import math
import random
from collections import Counter
from dataclasses import dataclass, field
from statistics import median

from codeopt_sandbox.compare import Decision, Series, StoppingRule, decide
from codeopt_sandbox.limit_test import LimitAnswer, LimitRule
from codeopt_sandbox.sequential_test import hodges_lehmann

DISTURBED = 0.1
"""Share of pairs that something came in between."""

_EACH, _STEP = 40, 8
"""Pairs up to which an answer is asked for after each, then after every eighth: an answer is never taken back."""


@dataclass
class Answers:
    """Answers of the gate at one limit and one true slowdown, one a trial."""

    answers: Counter[LimitAnswer] = field(default_factory=Counter)
    pairs: list[int] = field(default_factory=list)
    old_fails: int = 0
    needed: list[float] = field(default_factory=list)
    """Pairs it took over those that were estimated after 30."""


def draw_pair(draw: random.Random, slowdown: float, noise: float) -> float:
    """Logarithm of original / candidate in one pair."""
    off = draw.uniform(-0.5, 0.5) if draw.random() < DISTURBED else draw.gauss(0.0, noise)
    return off - math.log1p(slowdown)


def old_rule_fails(differences: list[float], limit: float) -> bool:
    """Whether the rule before failed."""
    series, rule = Series("wall"), StoppingRule()
    for difference in differences[: rule.max_pairs]:
        series.differences.append(difference)
        decision, _ = decide(series, rule)
        if decision is not Decision.UNDECIDED:
            return decision is Decision.SLOWER and hodges_lehmann(series.differences) < -math.log1p(limit)
    return False


def trial(found: Answers, draw: random.Random, slowdown: float, noise: float, rule: LimitRule) -> None:
    """One run of the gate, and of the old rule on the same pairs."""
    series, least = Series("wall"), StoppingRule().min_pairs
    answer = LimitAnswer.UNKNOWN
    estimate: int | None = None
    while answer is LimitAnswer.UNKNOWN and len(series.differences) < rule.max_pairs:
        series.differences.append(draw_pair(draw, slowdown, noise))
        pairs = len(series.differences)
        if pairs >= least and (pairs < _EACH or pairs % _STEP == 0):
            answer, _ = series.answer(rule)
        if len(series.differences) == 30:
            estimate = series.against(rule).pairs_needed
    pairs = len(series.differences)
    found.answers[answer] += 1
    found.pairs.append(pairs)
    if estimate and answer is not LimitAnswer.UNKNOWN:
        found.needed.append(pairs / estimate)
    missing = max(0, StoppingRule().max_pairs - pairs)
    found.old_fails += old_rule_fails(
        [*series.differences, *(draw_pair(draw, slowdown, noise) for _ in range(missing))], rule.limit
    )


def row(limit: float, times: float, noise: float, trials: int) -> str:
    """One line of the table."""
    draw, found = random.Random(f"{limit} {times} {noise}"), Answers()
    for _ in range(trials):
        trial(found, draw, limit * times, noise, LimitRule(limit))
    fails, holds, unknown = (f"{found.answers[each] / trials:.1%}" for each in
                             (LimitAnswer.BROKEN, LimitAnswer.HOLDS, LimitAnswer.UNKNOWN))  # fmt: skip
    took = f"{median(found.needed):.1f}" if found.needed else "-"
    pairs = f"{median(found.pairs):.0f}"
    return (
        f"| {limit:.0%} | {noise:.0%} | {limit * times:.2%} | {fails} | {holds} | {unknown} | {pairs} "
        f"| {found.old_fails / trials:.1%} | {took} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--limits", type=float, nargs="+", default=[0.01, 0.02, 0.05, 0.10])
    parser.add_argument("--times", type=float, nargs="+", default=[0.0, 0.5, 0.8, 1.0, 1.2, 1.5, 2.0])
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--noise", type=float, nargs="+", default=[0.02])
    arguments = parser.parse_args()
    print("| limit | noise | true | fails | holds | cannot tell | pairs (median) | old rule fails | pairs / estimate |")
    print("|---|---|---|---|---|---|---|---|---|")
    for limit in arguments.limits:
        for noise in arguments.noise:
            for times in arguments.times:
                print(row(limit, times, noise, arguments.trials), flush=True)


if __name__ == "__main__":
    main()
