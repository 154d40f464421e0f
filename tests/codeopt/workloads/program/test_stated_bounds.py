"""Bounds of a problem's statement: which inputs they exclude."""

from __future__ import annotations

import pytest

from codeopt.workloads.program.briefing import stated_bounds

PAIR = """\
How many sequences of length N are there whose product is M?

## Constraints

- 1 <= N <= 10^5
- 1 <= M <= 2 x 10^9

## Input

Input is given from Standard Input in the following format:

N M

## Output
"""


@pytest.mark.parametrize(
    ("old", "new", "ranges"),
    [
        ("", "", ((1, 10**5), (1, 2 * 10**9))),
        ("1 <= N <= 10^5\n- 1 <= M <= 2 x 10^9", "-5 ≤ N, M < 300,000", ((-5, 299_999), (-5, 299_999))),
        ("2 x 10^9", "2*10**{9}", ((1, 10**5), (1, 2 * 10**9))),
        ("- 1 <= N <= 10^5", r"- 0 \leq N \leq 10^{5}", ((0, 10**5), (1, 2 * 10**9))),
        ("- 1 <= M <= 2 x 10^9\n", "", ()),
        ("1 <= M <= 2 x 10^9", "1 <= M <= N", ()),
        ("N M\n", "N lines follow\n", ()),
        ("N M\n", "X\nN M\n", ()),
        ("2 x 10^9", r"2 \times 10^9", ((1, 10**5), (1, 2 * 10**9))),
        ("2 x 10^9", "2·10^9", ((1, 10**5), (1, 2 * 10**9))),
        ("10^5\n", "10\n- 0 <= N <= 10^5\n", ((0, 10**5), (1, 2 * 10**9))),
        ("10^5\n", "10\n- N < 10^5\n", ((1, 10**5 - 1), (1, 2 * 10**9))),
        *[("10^5\n", f"10\n- 1 <= N <= {more}\n", ()) for more in ("10 000", "10{,}000", "M", "10^5 - 1", "1.5")],
    ],
)  # fmt: skip
def test_bounds_of_the_first_line_are_read_if_each_of_its_names_has_some(
    old: str, new: str, ranges: tuple[tuple[int, int], ...]
) -> None:
    assert stated_bounds(PAIR.replace(old, new), []).ranges == ranges


def test_inputs_outside_of_the_bounds_are_excluded() -> None:
    bounds = stated_bounds(PAIR, [b"3 9\n", b"100000 1\n"])
    given = {b"9 0\n": True, b"100001 5\n": True, b"9 -1": True, b"9 1\n": False, b"9\n": False, b"a b\n": False}
    assert {data: bounds.excludes(data) for data in given} == given


def test_bounds_that_a_known_input_does_not_keep_are_not_believed() -> None:
    assert stated_bounds(PAIR, [b"3 9\n", b"0 9\n"]).ranges == ()
