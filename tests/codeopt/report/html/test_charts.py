"""The page of a run: each pair by both clocks, rounds as a path, one diff with what its lines take."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from codeopt.core.revision import Revision
from codeopt.core.run_index import open_run
from codeopt.report.html.charts import Axis, Mark, costs, pairs_chart, rounds_chart, speedups, times_chart
from codeopt.report.html.drafts import diff, line_shares
from codeopt.report.html.run_page import run_page
from codeopt_sandbox.compare import CaseTimes
from tests.codeopt.core.test_run_index import home
from tests.support.candidates import comparison, original, right, wrong

__all__ = ["home"]
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


def test_pairs_far_from_1_have_an_axis_of_their_own() -> None:
    cases = (CaseTimes("a", (40.0, 44.0), (1.0, 1.0)),)
    assert ">1x<" not in str(pairs_chart(comparison(cases=cases, ratio=42.0)))
    assert ">1x<" in str(pairs_chart(comparison(cases=TIMES, ratio=1.4)))


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


def test_lines_of_a_diff_show_what_they_take() -> None:
    before = replace(original("a\nhot\nb\n"), profile=None)
    new = Revision.of("a\ncold\nb\n")
    shares = ({("", 2): 0.9, ("", 3): 0.1}, {("", 2): 0.25, ("", 3): 0.75})
    text = re.sub(
        r"<[^>]*>", "", str(diff(before.revision, new, "original", "result", shares)).replace("</span>", "\n")
    )
    assert text.split("\n")[3:] == [" a", "90%-hot", "25%+cold", "75% b", "", ""]
    assert "<i>" not in str(diff(before.revision, new, "original", "result"))
    assert line_shares(before) == {}


def test_the_accepted_difference_is_shown_once(home: Path) -> None:
    page = "".join(run_page(open_run("aaaa", home)))
    assert page.count("difference of b/slow.py to a/slow.py") == 1
    assert "difference of round 2 to" not in page
    assert "difference of round 1/slow.py to original/slow.py" in page
    assert "The diff to the original is above." in page
    assert page.index("<h2>Caveats</h2>") < page.index("<h2>Result</h2>") < page.index("<h2>What changed</h2>")


def test_each_of_many_problems_has_a_mark_that_leads_to_it() -> None:
    marks = [Mark(f"p{number}", "solved", 1 + number / 10, 1.0, 9.0, human=2.0, cost=number) for number in range(80)]
    chart = str(speedups(marks, 1.1))
    assert re.findall(r'href="#p-p(\d+)"', chart) == [str(number) for number in reversed(range(80))]
    assert "p79: 8.90x, 95% interval 1.00 - 9.00, reference 2.00x" in titles(chart)
    bars = str(costs(marks, "{:.0f} s".format))
    assert [f"p{number}: {number} s" for number in reversed(range(80))] == titles(bars)[1:]
