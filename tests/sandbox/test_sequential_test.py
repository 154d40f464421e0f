"""The evidence that a difference of speed is real: its error under a fair coin, its interval, and its order."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.sequential_test import (
    FAR_PAIRS,
    fewest_pairs,
    hodges_lehmann,
    interval,
    log_e_value,
    rejects_null,
)

SIZES = st.lists(st.floats(1e-6, 10), min_size=1, max_size=9)
DIFFERENCES = st.lists(st.floats(-5, 5).map(lambda x: round(x, 6)), min_size=2, max_size=25)


def largest(signs: tuple[int, ...], sizes: list[float]) -> float:
    return log_e_value([sign * size for sign, size in zip(signs, sizes, strict=True)], 0.0, 1)


@given(SIZES)
def test_under_equal_speed_the_bound_is_seldom_reached(sizes: list[float]) -> None:
    """Ville: over all equally likely signs, it ever reaches 1/alpha in at most alpha of them. Exact, not sampled."""
    best = [largest(signs, sizes) for signs in itertools.product((1, -1), repeat=len(sizes))]
    for alpha in (0.5, 0.2, 0.05, 0.01):
        assert sum(value >= -math.log(alpha) - 1e-12 for value in best) <= alpha * len(best) + 1e-9


@given(st.floats(1e-3, 10), st.integers(1, 9))
def test_under_equal_speed_one_gains_nothing_on_average(size: float, n: int) -> None:
    """The one order of signs in n that wins every bet may not win more than 2^n times the stake."""
    assert 0 <= largest((1,) * n, [size] * n) <= n * math.log(2)


@given(DIFFERENCES, st.floats(-3, 3), st.sampled_from([1, -1]))
def test_sides_mirror_each_other(differences: list[float], theta: float, side: int) -> None:
    mirrored = log_e_value([-d for d in differences], -theta, -side)  # type: ignore[arg-type]
    assert log_e_value(differences, theta, side) == pytest.approx(mirrored)  # type: ignore[arg-type]


@given(st.floats(0, 1e-300), st.floats(1, 1e300))
def test_next_to_nothing_beside_very_much_is_no_error(small: float, large: float) -> None:
    assert math.isfinite(log_e_value([small, small, large], 0.0, 1))


@given(DIFFERENCES)
def test_more_pairs_never_take_evidence_back(differences: list[float]) -> None:
    grown = [log_e_value(differences[:n], 0.0, 1) for n in range(len(differences) + 1)]
    assert grown[0] == 0
    assert grown == sorted(grown)


@given(st.lists(st.floats(0.001, 5), min_size=1, max_size=20))
def test_only_gains_are_evidence_for_a_gain(gains: list[float]) -> None:
    assert log_e_value(gains, 0.0, 1) > 0
    assert log_e_value(gains, 0.0, -1) == 0


@given(DIFFERENCES, st.floats(0.01, 0.5))
def test_the_interval_contains_the_centre_and_grows_with_certainty(differences: list[float], alpha: float) -> None:
    low, high = interval(differences, alpha)
    middle = hodges_lehmann(differences)
    assert low <= middle + 1e-9
    assert middle <= high + 1e-9
    wider_low, wider_high = interval(differences, alpha / 5)
    assert wider_low <= low + 1e-6
    assert high <= wider_high + 1e-6


@given(DIFFERENCES, st.floats(-2, 2))
def test_the_interval_moves_with_the_data(differences: list[float], shift: float) -> None:
    low, high = interval(differences, 0.2)
    moved = interval([d + shift for d in differences], 0.2)
    spread = max(differences) - min(differences)
    for was, now in zip((low, high), moved, strict=True):
        assert math.isinf(was) == math.isinf(now) or spread < 1e-6
        assert math.isinf(was) or math.isinf(now) or now == pytest.approx(was + shift, abs=1e-3)


@given(st.floats(-2, 2), st.integers(30, 60))
def test_a_steady_difference_is_found(difference: float, n: int) -> None:
    differences = [difference + 0.01 * (-1) ** i for i in range(n)]
    low, high = interval(differences, 0.05)
    assert low == pytest.approx(difference, abs=0.05)
    assert high == pytest.approx(difference, abs=0.05)
    assert rejects_null(differences, difference - 0.1, 1, 0.05)
    assert not rejects_null(differences, difference + 0.1, 1, 0.05)


def test_how_few_pairs_can_decide() -> None:
    """Each with a difference as large as the others."""
    assert (fewest_pairs(0.05), fewest_pairs(0.01)) == (6, 8)
    assert not rejects_null([1.0] * 5, 0.0, 1, 0.05)
    assert rejects_null([1.0] * 6, 0.0, 1, 0.05)


@pytest.mark.parametrize(
    ("ratios", "alpha", "decides"),
    [
        ((35, 35, 35), 0.01, False),  # too few
        ((35, 30, 40, 3.1), 0.01, True),
        ((35, 30, 40, 2.9), 0.01, False),
        ((2.9, 35, 30, 40, 35), 0.01, False),  # the first pairs, and no others
        ((3.1, 3.1, 3.1, 3.1, 0.5), 0.01, True),  # later ones take nothing back
        ((35, 30, 40, 35), 0.0005, False),  # a smaller error than was counted
    ],
)
def test_few_pairs_that_are_far_decide(ratios: tuple[float, ...], alpha: float, decides: bool) -> None:
    differences = [math.log(each) for each in ratios]
    assert rejects_null(differences, 0.0, 1, alpha) is decides
    assert rejects_null([-each for each in differences], 0.0, -1, alpha) is decides
    assert not rejects_null(differences, 0.0, -1, alpha)
    if decides and len(ratios) == FAR_PAIRS:
        low, high = interval(differences, 0.05)
        assert (low, high) == pytest.approx((math.log(min(ratios) / 3), math.log(3 * max(ratios))), abs=1e-3)


FAR_SIZES = st.lists(st.floats(1.1, 10), min_size=FAR_PAIRS, max_size=FAR_PAIRS)
NEAR_SIZES = st.lists(st.floats(1e-6, 1.09), max_size=3)


@given(FAR_SIZES, NEAR_SIZES, st.sampled_from([0.05, 0.01]))
def test_the_early_end_is_wrong_as_seldom_as_is_stated(far: list[float], near: list[float], alpha: float) -> None:
    """Where noise makes each first pair far: one order of 2^4, and what the martingale has. Exact, not sampled."""
    sizes = [*far, *near]
    orders = [*itertools.product((1, -1), repeat=len(sizes))]
    wrong = sum(
        any(
            rejects_null([sign * size for sign, size in zip(signs[:n], sizes, strict=False)], 0.0, 1, alpha)
            for n in range(1, len(sizes) + 1)
        )
        for signs in orders
    )
    assert wrong <= len(orders) * (alpha * (1 - 0.5**FAR_PAIRS) + 0.5**FAR_PAIRS)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12))
def test_the_centre_lies_within_the_data_and_keeps_its_order(differences: list[float]) -> None:
    assert min(differences) <= hodges_lehmann(differences) <= max(differences)
    assert hodges_lehmann(differences) == pytest.approx(hodges_lehmann(differences[::-1]))
    assert hodges_lehmann([d + 1 for d in differences]) == pytest.approx(hodges_lehmann(differences) + 1)
