"""One place says a speedup, and every door says it with the same words."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from codeopt.core.words import Speedup
from tests.codeopt.command import codeopt
from tests.support.files import write_files

HOLDS_ALL = "numbers = list(range(int(input()) * 1000))\nprint(sum(numbers))\n"
HOLDS_ONE = "numbers = range(int(input()) * 1000)\nprint(sum(numbers))\n"


@given(st.floats(0.001, 1e6), st.floats(0.3, 0.9999), st.floats(1.0001, 3))
def test_a_shown_interval_holds_the_measured_one(ratio: float, below: float, above: float) -> None:
    found = Speedup(ratio, ratio * below, ratio * above, 9)
    low, high = (float(end.rstrip("x").replace(",", "")) for end in found.span.split(" to "))
    inside = (ratio * below, ratio * above) if ratio >= 1 else (1 / ratio / above, 1 / ratio / below)
    assert low <= inside[0] * (1 + 1e-5)
    assert high >= inside[1] * (1 - 1e-5)


def test_compare_by_memory_says_memory(tmp_path: Path) -> None:
    write_files(tmp_path, {"cases/input.1.txt": "300\n", "old.py": HOLDS_ALL, "new.py": HOLDS_ONE})
    flags = ("--cases", "cases", "--metric", "memory", "--mutated-inputs", "off", "-q", "--json")
    found = codeopt("compare", "old.py", "new.py", *flags, cwd=tmp_path).json
    assert (found["verdict"], found["metric"], found["unit"]) == ("faster", "memory", "bytes")
    assert found["before"] > found["after"] > 2**20
    assert "less memory" in Speedup.from_json(found).words
