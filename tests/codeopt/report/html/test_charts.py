"""The page of a run: each pair by both clocks, rounds as a path, one diff with what its lines take."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from codeopt.report.html.charts import Axis, pairs_chart, rounds_chart, times_chart
from codeopt_sandbox.compare import CaseTimes
from tests.support.candidates import comparison, right, wrong

TIMES = (CaseTimes("a", (2.0, 4.0, 3.0), (1.0, 1.0, 1.0)), CaseTimes("b", (2.0, 0.0, 1.0), (1.0, 1.0, 1.0)))


def titles(chart: str | None) -> list[str]:
    assert chart
    return re.findall(r"<title>([^<]*)</title>", chart)


def test_each_pair_stands_by_both_clocks() -> None:
    chart = pairs_chart(comparison(cases=TIMES, wall_ratios=(1.5, 1.6, 1.7)))
    assert titles(chart)[1:] == [
        "pair 1: 1.50x", "pair 2: 1.60x", "pair 3: 1.70x", "pair 1: 2.00x", "pair 2: 2.00x", "pair 3: 2.00x",
    ]  # fmt: skip
    assert "3 pairs, 2.00x, interval 1.80x to 2.20x" in titles(chart)[0]
    assert "interval" in str(chart)
    assert "wall" not in str(pairs_chart(comparison(cases=TIMES)))
    assert pairs_chart(comparison(cases=())) is None
    times = times_chart(comparison(cases=TIMES))
    assert str(times).count("<circle") == 2 * str(pairs_chart(comparison(cases=TIMES))).count("<circle")
    assert times_chart(comparison(cases=())) is None


def test_what_is_higher_was_faster_and_the_band_is_the_interval() -> None:
    cases = (CaseTimes("a", (1.0, 2.0, 4.0), (1.0, 1.0, 1.0)),)
    chart = str(pairs_chart(comparison(cases=cases, ci_low=1.0, ci_high=4.0)))
    first, second, third = (float(y) for y in re.findall(r'class="solved" cx="[^"]*" cy="([\d.]+)"', chart))
    assert first > second
    assert first - second == pytest.approx(second - third, abs=0.02)  # a logarithmic axis
    band = re.search(r'class="band" [^>]*y="([\d.]+)" height="([\d.]+)"', chart)
    assert band
    assert (float(band[1]), float(band[1]) + float(band[2])) == pytest.approx((third, first), abs=0.02)


@pytest.mark.parametrize(
    ("low", "high", "labels"),
    [
        (0.95, 60.0, ["1", "3", "10", "30"]),
        (38.0, 130.0, ["40", "50", "60", "80", "100"]),
        (0.93, 1.12, ["0.95", "1", "1.05", "1.1"]),
        (1.88, 2.31, ["1.9", "2", "2.1", "2.2", "2.3"]),
        (0.95, 200_000.0, ["1", "100", "1e+04"]),
    ],
)
def test_an_axis_has_round_labels_at_even_places(low: float, high: float, labels: list[str]) -> None:
    assert [f"{each:.4g}" for each in Axis(low, high).ticks()] == labels


def test_rounds_are_a_path_with_the_wrong_ones() -> None:
    refused = replace(right(3), rejection="it caches")
    untimed = replace(right(4), comparison=None, ablation=())
    by_others = replace(right(5), comparison=None, ablation=(("original", 7.0), ("x", 1.1)))
    chart = rounds_chart([wrong(1), right(2), refused, untimed, by_others], best=5)
    assert titles(chart) == [
        "Speedup by round: 5 candidates, 2 wrong or rejected, the best 7.00x",
        "round 1: wrong result", "round 2: 2.00x", "round 3: rejected", "round 4: correct", "round 5: 7.00x, accepted",
    ]  # fmt: skip
    assert str(chart).count('class="cross"') == 2
    assert str(chart).count('class="chosen"') == 1
    assert rounds_chart([], None) is None
