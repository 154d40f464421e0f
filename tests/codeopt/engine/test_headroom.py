"""Where no faster draft is worth asking for, and where one may well be."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import cast

import pytest

from codeopt.core.history import Candidate
from codeopt.engine.judge import Judge
from codeopt.engine.next_steps import no_headroom
from codeopt_sandbox.compare import CaseTimes
from codeopt_sandbox.profile import HotLine
from tests.support.candidates import profile, right


@dataclass
class Measured:
    """A judge that has timed the floor."""

    share: float | None = None

    def lower_bound_share(self, candidate: Candidate) -> float | None:
        return self.share


def hot(source: str, line: int, share: float = 0.96, hits: int = 1) -> Candidate:
    lines = (HotLine(line, share, hits, 1.0, ""), HotLine(1, 1 - share, 1, 0.01, ""))
    return replace(right(1, source), profile=replace(profile(), lines=lines))


def found(candidate: Candidate, share: float | None = None) -> str:
    return no_headroom(cast(Judge, Measured(share)), candidate)


READ = "import sys\ndata = sys.stdin.read().split()\n"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (READ + "data.sort()\nprint(data[0])\n", 3),
        (READ + "def main():\n    return sorted(data)\nmain()\n", 4),
        (READ + "total = sum(map(int, data))\nprint(total)\n", 3),
        (READ + "print(len(set(data)))\n", 3),
    ],
)
def test_one_call_of_c_that_has_all_the_time_is_a_floor(source: str, line: int) -> None:
    assert found(hot(source, line)).startswith("nothing left to gain: 96% of the time is one call of s")


@pytest.mark.parametrize(
    "candidate",
    [
        hot(READ + "data.sort()\n", 3, share=0.6),
        hot(READ + "for word in data:\n    print(max(data))\n", 4, hits=900),
        hot(READ + "print(sum(range(10 ** 7)))\n", 3),
        hot(READ + "print(max(sorted(data)))\n", 3),
        hot(READ + "print(sorted(data, key=lambda word: word[::-1]))\n", 3),
        hot(READ + "print(sum(map(slow, data)))\n", 3),
        hot(READ + "print(sorted(data)[0])\n", 3),
        hot(READ + "print(sum(int(word) for word in data))\n", 3),
        hot("def (", 1),
        replace(right(1), profile=None),
    ],
    ids=["a part", "a loop", "a range", "two calls", "a key", "a map", "one of it", "a generator", "broken", "no"],
)  # fmt: skip
def test_what_may_be_spared_is_none(candidate: Candidate) -> None:
    assert found(candidate) == ""


def test_reading_the_input_is_one() -> None:
    assert "97% of its time is that of reading the input" in found(right(1), 0.97)
    assert found(right(1), 0.8) == ""


def test_of_a_short_run_nothing_is_said() -> None:
    short = (CaseTimes("small", (0.9, 0.9), (0.004, 0.005)),)
    assert found(right(1, cases=short), 0.99) == ""
