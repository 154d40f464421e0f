"""Lines of a change that no known or generated call runs: named in a caveat, on both sides."""

from __future__ import annotations

import pytest

from codeopt.workloads.function.judging import changed_lines
from tests.codeopt.workloads.conftest import Compare

OLD = """\
def f(words):
    if len(words) > 10**7:
        return sorted(set(words))[:3]
    found = []
    for word in words:
        if word not in found:
            found.append(word)
    return sorted(found)[:3]
"""
BELOW = "    return sorted(set(words))[:3]\n"
OTHER = OLD.partition("    found")[0].replace("[:3]", "[:2]") + BELOW
SAME = OLD.partition("    found")[0] + BELOW
CALLS = """\
CALLS = [([f"w{k * 7 % 5}" for k in range(n)],) for n in range(12)]
BIG = [([f"w{k}" for k in range(900)],)]
"""


def test_lines_that_differ_have_the_numbers_of_their_side() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\ny\nc\n") == ({2}, {2, 3})
    assert changed_lines("a\nb\n", "b\n") == ({1}, set())
    assert changed_lines("a\n", "a\n") == (set(), set())


@pytest.mark.full
def test_a_changed_line_that_no_input_runs_is_a_caveat(compare: Compare) -> None:
    found = compare(OLD, OTHER, CALLS)
    assert found["verdict"] == "faster", found["reason"]
    lines = [each for each in found["caveats"] if each["lines"]]
    assert [each["lines"] for each in lines] == [[3], [3]]
    assert [each["got"] for each in lines] == [
        "line 3 of the original, which the change touches, is run by no input",
        "line 3 of the change is run by no input",
    ]
    assert [each["lines"] for each in compare(OLD, SAME, CALLS)["caveats"] if each["lines"]] == []
