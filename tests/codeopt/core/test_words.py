"""One place says a speedup, and every door says it with the same words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.words import Speedup
from tests.codeopt.command import codeopt

HOLDS_ALL = "numbers = list(range(int(input()) * 1000))\nprint(sum(numbers))\n"
HOLDS_ONE = "numbers = range(int(input()) * 1000)\nprint(sum(numbers))\n"


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((182.894, 147.661, 216.103), "180x faster (140x to 220x)"),
        ((114.064, 92.807, 136.612), "110x faster (90x to 140x)"),
        ((44.08, 38.88, 49.55), "44x faster (38x to 50x)"),
        ((26.88, 23.43, 30.64), "27x faster (23x to 31x)"),
        ((6.04, 5.47, 6.43), "6.0x faster (5.4x to 6.5x)"),
        ((2.104, 2.09, 2.12), "2.10x faster (2.09x to 2.12x)"),
        ((1.02, 0.972, 1.078), "1.02x faster (0.97x to 1.08x)"),
        ((1 / 1.11, 1 / 1.15, 1 / 1.07), "1.11x slower (1.07x to 1.15x)"),
        ((4.2, 3.9, math.inf), "4.2x faster (3.9x to ?)"),
        ((0.5, 0.0, None), "2.0x slower (? to ?)"),
    ],
)
def test_the_interval_rounds_a_ratio_and_never_shrinks(
    ends: tuple[float, float | None, float | None], said: str
) -> None:
    found = Speedup(*ends, 9)
    assert f"{found.gain} ({found.span})" == said


@given(st.floats(0.001, 1e6), st.floats(0.3, 0.9999), st.floats(1.0001, 3))
def test_a_shown_interval_holds_the_measured_one(ratio: float, below: float, above: float) -> None:
    found = Speedup(ratio, ratio * below, ratio * above, 9)
    low, high = (float(end.rstrip("x").replace(",", "")) for end in found.span.split(" to "))
    inside = (ratio * below, ratio * above) if ratio >= 1 else (1 / ratio / above, 1 / ratio / below)
    assert low <= inside[0] * (1 + 1e-5)
    assert high >= inside[1] * (1 - 1e-5)


def test_compare_by_memory_says_memory(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "input.1.txt").write_text("300\n")
    (tmp_path / "old.py").write_text(HOLDS_ALL)
    (tmp_path / "new.py").write_text(HOLDS_ONE)
    flags = ("--cases", "cases", "--metric", "memory", "--mutated-inputs", "off", "-q", "--json")
    found = codeopt("compare", "old.py", "new.py", *flags, cwd=tmp_path).json
    assert (found["verdict"], found["metric"], found["unit"]) == ("faster", "memory", "bytes")
    assert found["before"] > found["after"] > 2**20
    assert "less memory" in Speedup.from_json(found).words
