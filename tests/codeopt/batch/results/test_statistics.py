"""Intervals and tests against what is known by heart or by exact arithmetic."""

from __future__ import annotations

import math
import random

import pytest

from codeopt.batch.results.statistics import estimate, estimate_geometric, mcnemar_p, mean, share, sign_flip_p, wilson


def test_means_of_nothing_are_neutral() -> None:
    assert mean([]) == 0.0
    assert estimate([], mean).low is None
    assert share([]).value == 0.0
    assert estimate_geometric([]).value == 1.0


def test_geometric_mean() -> None:
    assert estimate_geometric([1.0, 4.0]).value == pytest.approx(2.0)
    assert estimate_geometric([2.0] * 5).low == pytest.approx(2.0)


def test_bootstrap_interval_of_a_mean_is_near_the_normal_one() -> None:
    draw = random.Random(1)
    values = [draw.gauss(10, 2) for _ in range(200)]
    found = estimate(values, mean)
    assert found.low == pytest.approx(found.value - 1.96 * 2 / math.sqrt(200), abs=0.06)
    assert found.high == pytest.approx(found.value + 1.96 * 2 / math.sqrt(200), abs=0.06)


def test_a_share_of_all_or_none_still_has_doubt() -> None:
    assert share([True] * 40).low == pytest.approx(0.912, abs=0.001)
    assert share([False] * 40).high == pytest.approx(0.088, abs=0.001)
    assert (wilson(8, 10).low, wilson(8, 10).high) == pytest.approx((0.490, 0.943), abs=0.001)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(0, 0, 1.0), (5, 5, 1.0), (0, 5, 0.0625), (1, 9, 0.0215), (0, 10, 0.00195)]
)
def test_mcnemar_is_the_binomial_tail(first: int, second: int, p: float) -> None:
    assert mcnemar_p(first, second) == pytest.approx(p, abs=1e-4)
    assert mcnemar_p(second, first) == mcnemar_p(first, second)


def test_sign_flips_agree_with_all_of_them() -> None:
    values = [0.5, 0.3, 0.8, -0.1, 0.4, 0.6]
    exact = sum(
        abs(sum(v if bits >> at & 1 else -v for at, v in enumerate(values))) >= abs(sum(values)) - 1e-12
        for bits in range(64)
    )
    assert sign_flip_p(values) == pytest.approx(exact / 64, abs=0.01)
    assert sign_flip_p([]) == sign_flip_p([0.0, 0.0]) == 1.0
