"""One place says a speedup, and every door says it with the same words."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core import words
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


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.045016, "45 ms"), (0.0002376, "240 us"), (2.7, "2.7 s"), (0.019, "19 ms"), (404.0, "6 min 44 s"), (0, "0 ns")],
)
def test_seconds_have_two_digits(seconds: float, said: str) -> None:
    assert words.took(seconds) == said


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            Speedup(182.894, 147.661, 216.103, 9, before=0.045016, after=0.0002376),
            "180x faster   45 ms -> 240 us CPU time   (95% CI 140x to 220x)",
        ),
        (
            Speedup(3.1, 2.5, 4.0, 8, "memory", before=38 * 2**20, after=12 * 2**20),
            "3.1x less memory   38 MiB -> 12 MiB peak memory   (95% CI 2.5x to 4.0x)",
        ),
        (Speedup(0.5, 0.4, 0.8, 9, "wall", 0.9), "2.0x slower   wall time   (90% CI 1.2x to 2.5x)"),
    ],
)
def test_a_comparison_in_words(found: Speedup, said: str) -> None:
    assert found.words == said


def test_json_and_a_comparison_are_said_alike() -> None:
    figures = {"ratio": 1.01, "ci_low": 0.98, "ci_high": 1.03, "pairs": 21, "before": 0.041, "after": 0.0405}
    shown = "no measurable difference   41 ms -> 40 ms CPU time   (95% CI 0.98x to 1.03x)"
    assert Speedup.from_json(figures).no_difference == shown


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
