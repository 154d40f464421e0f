"""Work that is done beside the calls, told from noise."""

from __future__ import annotations

import random

import pytest

from codeopt.engine.guards.put_off import shifted
from codeopt.engine.guards.shifted_cost import _is_gone


@pytest.mark.parametrize(
    ("more", "won", "is_shifted"),
    [
        (0.0, 0.030, False),
        (0.030, 0.030, True),
        (0.020, 0.030, True),
        (0.010, 0.030, False),  # a part of it is cheaper to make than to show
        (0.0001, 0.0001, False),  # no more than noise
        (0.010, 0.0, True),
    ],
)
def test_most_of_a_gain_must_not_be_beside_the_calls(more: float, won: float, is_shifted: bool) -> None:
    draw = random.Random(1)
    pairs = [(0.002 + draw.gauss(0, 0.0002), 0.002 + more + draw.gauss(0, 0.0002)) for _ in range(8)]
    assert shifted(pairs, [won] * 8, 0.0002) is is_shifted


def test_a_noisy_machine_shifts_nothing() -> None:
    draw = random.Random(2)
    found = []
    for _ in range(2000):
        pairs = [(0.02 * draw.choice((1, 2)), 0.02 * draw.choice((1, 2))) for _ in range(8)]
        found.append(shifted(pairs, [0.03] * 8, 0.0002))
    assert sum(found) <= 2  # at two speeds, by chance, 0.0004 of them


def test_who_shifts_in_some_runs_alone_shifts() -> None:
    """In two of five he does the work where it is due, and has no gain there."""
    pairs = [(0.002, 0.032)] * 5 + [(0.002, 0.002)] * 3
    assert shifted(pairs, [0.030] * 5 + [0.0] * 3, 0.0002)


@pytest.mark.parametrize(
    ("ratios", "ratio", "gone"),
    [
        ([2.0, 2.1, 1.9], 2.0, False),
        ([1.0, 1.02, 0.97], 2.0, True),
        ([1.0, 2.0, 1.0], 2.0, False),  # a processor with two speeds
        ([1.0, 1.0, 1.0], 1.1, False),  # so small a gain is not asked for
        ([1.0, 1.0, 1.05], 700.0, True),
    ],
)
def test_a_gain_must_be_there_in_more_passes(ratios: list[float], ratio: float, gone: bool) -> None:
    assert _is_gone(ratios, ratio) is gone
