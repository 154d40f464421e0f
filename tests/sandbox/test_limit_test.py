"""The test against a limit: its errors, its power, its estimate, and that "same" is said of no one-sided interval."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from codeopt_sandbox.compare import Comparison, Decision, Series, StoppingRule, _result, decide
from codeopt_sandbox.sequential_test import LimitAnswer, LimitRule, begins_guest, pairs_needed, rejects_null

LIMITS = (0.01, 0.02, 0.05, 0.10)


def answered(limit: float, slowdown: float, seed: int, noise: float = 0.02) -> tuple[LimitAnswer, int]:
    """The answer with the pairs that it took."""
    draw, series, rule = random.Random(seed), Series("wall"), LimitRule(limit, max_pairs=160)
    while len(series.differences) < rule.max_pairs:
        series.differences.append(draw.gauss(-math.log1p(slowdown), noise))
        if len(series.differences) >= 7 and series.answer(rule)[0] is not LimitAnswer.INCONCLUSIVE:
            break
    return series.answer(rule)[0], len(series.differences)


@pytest.mark.parametrize("limit", LIMITS)
def test_twice_the_limit_breaks_it_and_none_of_it_holds_it(limit: float) -> None:
    """A limit of 1 % could not be broken by 4 % before: the rule stopped at "less than 5 % faster"."""
    assert [answered(limit, 2 * limit, seed)[0] for seed in range(8)] == [LimitAnswer.FAIL] * 8
    assert [answered(limit, 0.0, seed)[0] for seed in range(8)] == [LimitAnswer.PASS] * 8


def test_at_the_limit_itself_neither_is_said_more_often_than_its_error() -> None:
    """Ville: over all equally likely signs. Exact, not sampled."""
    rule = LimitRule(0.05, alpha=0.1)
    found = []
    for signs in itertools.product((1, -1), repeat=10):
        series = Series("wall", differences=[rule.centre + 0.02 * sign for sign in signs])
        found.append(series.answer(rule)[0])
    for answer in (LimitAnswer.FAIL, LimitAnswer.PASS):
        assert 0 < found.count(answer) <= rule.alpha * len(found)


def answered_between(between: float, slowdown: float, seed: int, pairs: int, *, told: bool = True) -> LimitAnswer:
    """The answer about a limit of 5 % where each guest has a bias of its own. told: guests are known apart."""
    draw, series, rule, bias = random.Random(seed), Series("wall"), LimitRule(0.05), 0.0
    while len(series.differences) < pairs:
        if begins_guest(len(series.differences)):
            bias = draw.gauss(0.0, between)
            series.guests += [len(series.differences)] if told else []
        series.differences.append(draw.gauss(bias - math.log1p(slowdown), 0.005))
        if len(series.differences) >= 9 and series.answer(rule)[0] is not LimitAnswer.INCONCLUSIVE:
            break
    return series.answer(rule)[0]


@pytest.mark.full
@pytest.mark.parametrize("between", [0.01, 0.02])
def test_a_bias_of_guests_neither_breaks_a_limit_nor_holds_it(between: float) -> None:
    """1 % of each is stated. No number of pairs within a guest shows its bias, and the answer is asked for after each
    guest again."""
    alone = [answered_between(between, 0.05, seed, 40, told=False) for seed in range(40)]
    assert sum(each is not LimitAnswer.INCONCLUSIVE for each in alone) >= 12
    found = [answered_between(between, 0.05, seed, 60) for seed in range(100)]
    assert max(found.count(LimitAnswer.FAIL), found.count(LimitAnswer.PASS)) <= 3


def test_what_the_first_guests_showed_must_still_be_there() -> None:
    """Two guests with a bias of 4 %, twenty with none: the more there are the less they explain, and against that the
    first ones alone would break the limit for ever."""
    rule = LimitRule(0.05)
    differences = [rule.centre - 0.04 * (n < 10) + 0.001 * (-1) ** n for n in range(220)]
    series = Series("wall", differences=differences, guests=[0, 5, *range(10, 220, 10)])
    assert rejects_null(differences, rule.centre - series.margin(rule.alpha), -1, rule.alpha)
    assert series.answer(rule)[0] is LimitAnswer.INCONCLUSIVE


def test_what_is_plainly_beyond_the_limit_is_found_whatever_guests_differ_in() -> None:
    assert [answered_between(0.02, 0.10, seed, 160) for seed in range(12)] == [LimitAnswer.FAIL] * 12
    assert [answered_between(0.02, 0.0, seed, 160) for seed in range(12)] == [LimitAnswer.PASS] * 12


def test_what_guests_differ_in_takes_more_pairs() -> None:
    draw, rule = random.Random(3), LimitRule(0.045)
    series = Series("wall", differences=[draw.gauss(-math.log1p(0.06), 0.02) for _ in range(30)], guests=[0, 5, 10, 20])
    apart = series.margin(rule.alpha / 3)  # four guests: their share of the error is asked for the third time
    few, more = pairs_needed(series.differences, rule), pairs_needed(series.differences, rule, apart)
    assert 31 <= (few or 0) < (more or 0)
    assert series.against(rule).pairs_needed == more
    assert pairs_needed(series.differences, rule, 100 * apart) is None


def test_what_takes_less_cpu_time_and_waits_breaks_the_limit() -> None:
    series = Series("cpu", differences=[0.1] * 12, wall=[-0.3] * 12)
    found = series.against(LimitRule(0.05))
    assert (found.answer, found.metric) == (LimitAnswer.FAIL, "wall")


def finished(centre: float, seed: int, level: float = StoppingRule.interval) -> Comparison:
    """A comparison to its end. level: confidence of its interval."""
    rule = StoppingRule(interval=level)
    draw, series = random.Random(seed), Series("wall")
    decision, reason = Decision.INCONCLUSIVE, ""
    while decision is Decision.INCONCLUSIVE and len(series.differences) < 60:
        series.differences.append(draw.gauss(centre, 0.03))
        series.wall.append(series.differences[-1])
        decision, reason = decide(series, rule)
    return _result(series, rule, decision, reason)


@pytest.mark.parametrize("centre", [-0.04, -0.02, 0.0, 0.02])
def test_same_is_never_said_of_an_interval_that_lies_on_one_side(centre: float) -> None:
    ends = [finished(centre, seed) for seed in range(20)]
    same = [each for each in ends if each.decision not in (Decision.FASTER, Decision.SLOWER)]
    assert all(each.ci_low <= 1 <= each.ci_high for each in same), same
