"""One place says a speedup, and every door says it with the same words."""

from __future__ import annotations

import math
import re
from pathlib import Path

import pytest

from codeopt.core import words
from codeopt.core.words import Speedup
from tests.codeopt.command import codeopt

SOURCE = Path(words.__file__).parents[1]

HOLDS_ALL = "numbers = list(range(int(input()) * 1000))\nprint(sum(numbers))\n"
HOLDS_ONE = "numbers = range(int(input()) * 1000)\nprint(sum(numbers))\n"


@pytest.mark.parametrize(
    ("ratio", "clock", "said"),
    [
        (2.1, "cpu", "is 2.10x faster"),
        (1 / 1.3, "wall", "is 1.30x slower"),
        (10.75, "memory", "uses 10.75x less memory"),
        (0.5, "memory", "uses 2.00x more memory"),
    ],
)
def test_a_ratio_in_words(ratio: float, clock: str, said: str) -> None:
    assert words.is_gain(ratio, clock) == said
    assert said.endswith(words.gain(ratio, clock))


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Speedup(4.2, 3.9, 4.5, 21), "4.20x faster (95% interval 3.90 - 4.50, 21 pairs, CPU time)"),
        (Speedup(4.2, 3.9, math.inf, 1, "wall"), "4.20x faster (95% interval 3.90 - ?, 1 pair, wall time)"),
        (Speedup(0.5, 0.4, 0.8, 9, "cpu", 0.9), "2.00x slower (90% interval 1.25 - 2.50, 9 pairs, CPU time)"),
        (Speedup(0.5, 0.0, None, 9), "2.00x slower (95% interval ? - ?, 9 pairs, CPU time)"),
        (Speedup(3.0, 2.0, 4.0, 8, "memory"), "3.00x less memory (95% interval 2.00 - 4.00, 8 pairs, peak memory)"),
    ],
)
def test_a_comparison_in_words(found: Speedup, said: str) -> None:
    assert found.words == said


def test_json_and_a_comparison_are_said_alike() -> None:
    assert Speedup.from_json({"ratio": 4.2, "ci_low": None, "ci_high": 4.5, "pairs": 21, "clock": "wall"}).words == (
        "4.20x faster (95% interval ? - 4.50, 21 pairs, wall time)"
    )


def test_no_other_module_phrases_a_speedup() -> None:
    """Another phrase for faster is a change of one file."""
    phrase = re.compile(r"f\}x\b|x as fast|x as long|x faster|x slower|CPU time\"|wall clock|less memory \(")
    found = [
        f"{path.relative_to(SOURCE)}: {line.strip()}"
        for path in SOURCE.rglob("*.py")
        if path.name != "words.py" and not path.name.endswith("_examples.py")  # which are a model's own prose
        for line in path.read_text("utf-8").splitlines()
        if phrase.search(line) and '"""' not in line
    ]
    assert found == []


def test_compare_by_memory_says_memory(tmp_path: Path) -> None:
    (tmp_path / "cases").mkdir()
    (tmp_path / "cases" / "input.1.txt").write_text("300\n")
    (tmp_path / "old.py").write_text(HOLDS_ALL)
    (tmp_path / "new.py").write_text(HOLDS_ONE)
    flags = ("--cases", "cases", "--clock", "memory", "--changed-inputs", "off", "-q")
    said = codeopt("compare", "old.py", "new.py", *flags, cwd=tmp_path).out
    assert said.splitlines()[0] == "less memory"
    assert re.search(r"^NEW uses [\d.]+x less memory than OLD \(95% interval .* pairs, peak memory\)$", said, re.M), (
        said
    )
    assert "fast" not in said
    back = codeopt("compare", "new.py", "old.py", *flags, cwd=tmp_path).out
    assert back.splitlines()[0] == "more memory"
    assert re.search(r"^NEW uses [\d.]+x more memory than OLD", back, re.M), back
