"""The page of a run: each pair by both clocks, rounds as a path, one diff with what its lines take."""

from __future__ import annotations

import re

import pytest

from codeopt.report.html.charts import pairs_chart
from codeopt_sandbox.compare import CaseTimes
from tests.support.candidates import comparison


def test_what_is_higher_was_faster_and_the_band_is_the_interval() -> None:
    cases = (CaseTimes("a", (1.0, 2.0, 4.0), (1.0, 1.0, 1.0)),)
    chart = str(pairs_chart(comparison(cases=cases, ci_low=1.0, ci_high=4.0)))
    first, second, third = (float(y) for y in re.findall(r'class="solved" cx="[^"]*" cy="([\d.]+)"', chart))
    assert first > second
    assert first - second == pytest.approx(second - third, abs=0.02)  # a logarithmic axis
    band = re.search(r'class="band" [^>]*y="([\d.]+)" height="([\d.]+)"', chart)
    assert band
    assert (float(band[1]), float(band[1]) + float(band[2])) == pytest.approx((third, first), abs=0.02)
