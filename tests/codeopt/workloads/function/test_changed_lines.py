"""Lines of a change that no known or generated call runs: named in a caveat, on both sides."""

from __future__ import annotations

from codeopt.workloads.function.judging import changed_lines


def test_lines_that_differ_have_the_numbers_of_their_side() -> None:
    assert changed_lines("a\nb\nc\n", "a\nx\ny\nc\n") == ({2}, {2, 3})
    assert changed_lines("a\nb\n", "b\n") == ({1}, set())
    assert changed_lines("a\n", "a\n") == (set(), set())
