"""An import is told with its share of the time, and is never a hot line."""

from __future__ import annotations

from codeopt.engine.next_steps import _hot_lines
from codeopt.report.result import hot
from codeopt_sandbox.profile import HotLine, Profile

LINES = (
    HotLine(1, 0.7, 1, 0.7, "import pandas as pd"),
    HotLine(2, 0.1, 1, 0.1, "    from a import b"),
    HotLine(9, 0.12, 9, 0.12, "total += frame.loc[i]"),
    HotLine(10, 0.08, 9, 0.08, "yield from rows"),
)
PROFILE = Profile("case", LINES, (), None, None, None, None, None, (), ())


def test_the_share_of_imports_stands_behind_the_hot_lines() -> None:
    assert hot(PROFILE) == "   slow: line 9 12%, line 10 8%, imports 80%"


def test_nothing_is_told_where_no_line_is_hot() -> None:
    even = tuple(HotLine(number, 0.004, 1, 0.004, "x += 1") for number in range(250))
    assert hot(Profile("case", even, (), None, None, None, None, None, (), ())) == ""


def test_what_is_hot_now_is_no_import() -> None:
    assert [line.line for line in _hot_lines(PROFILE)] == [9, 10]
