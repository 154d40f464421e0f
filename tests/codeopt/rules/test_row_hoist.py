"""row_hoist: rows that stay and exist, and no others."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same

GRID = "n = 3\na = [[i + j for j in range(n)] for i in range(n)]\n"
SUM = "for i in range(n):\n    for j in range(n):\n        s += a[i][j]\n"


@pytest.mark.parametrize(
    "source",
    [
        GRID + "s = 0\n" + SUM + "print(s)\n",
        GRID + "for k in range(n):\n    for i in range(n):\n        for j in range(n):\n"
        "            if a[i][j] > a[i][k] + a[k][j]:\n                a[i][j] = a[i][k] + a[k][j]\nprint(a)\n",
        "n = 3\na = []\nfor i in range(n):\n    a.append([i] * 2)\ns = 0\n"
        "for i in range(1, n):\n    for j in range(2):\n        s += a[i - 1][j]\nprint(s)\n",
        "n = 3\na = [[0] * n] * (n + 1)\nfor i in range(n):\n    for j in range(n):\n"
        "        a[i + 1][j] += a[i][j] + 1\nprint(a)\n",
        "n = 3\na = [[0]] * n + [[1]]\nfor i in range(n + 1):\n    j = 0\n    while j < 1:\n"
        "        a[i][j] += 1; j += 1\nprint(a)\n",
        "n = 2\na = [[0, 1] for _ in range(n)]\nb = [[5, 6] for _ in a]\nfor i in range(n):\n"
        "    for j in range(2):\n        b[i][j] += a[i][j]\n    b[i].append(7)\nprint(b)\n",
    ],
)
def test_hoisted(source: str) -> None:
    assert same("row_hoist", source).count("a_i") > 1


@pytest.mark.parametrize(
    "source",
    [
        # the row may not exist when the inner loop does not run
        "n = 3\na = [[0] * 3 for _ in range(n)]\nfor i in range(n):\n    for j in range(i + 1, n):\n"
        "        a[i + 1][j] = 1\n",
        "n = int(input())\na = [[0] * 3 for _ in range(n)]\nfor i in range(4):\n"
        "    for j in range(n):\n        a[i][j] = 1\n",
        "n = 3\na = [[0] * 3 for _ in range(n)]\na.pop()\n" + SUM,
        "n = 3\na = [[0] * 3 for _ in range(n)]\nb = a\ndel b[0]\n" + SUM,
        "n = 3\na = [[0] * 3 for _ in range(n)]\nn = 4\n" + SUM,
        "n = 3\na = [[0] * 3 for _ in range(n) if n > 4]\n" + SUM,
        "n = 3\na = []\nfor i in range(n):\n    if i: a.append([1])\n    else: continue\n" + SUM,
        # the row may be another one in the next round
        GRID + "for i in range(n):\n    for j in range(n):\n        a[i] = [a[i][j]] * 3\n",
        GRID + "for i in range(n):\n    for j in range(n):\n        a[0], a[1] = a[1], a[0]\n        print(a[i][j])\n",
        GRID + "def f():\n    a[0] = [1]\nfor i in range(n):\n    for j in range(n):\n        f()\n"
        "        print(a[i][j])\n",
        GRID + "b = a\nfor i in range(n):\n    for j in range(n):\n        b[i] = [4, 5, 6]\n        print(a[i][j])\n",
        GRID + "for i in range(n):\n    for j in range(n):\n        i = 0\n        print(a[i][j])\n",
        "from somewhere import f\n"
        + GRID
        + "f(a)\nfor i in range(n):\n    for j in range(n):\n        print(a[i][f(j)])\n",
        # not a list
        "n = 3\na = {i: [0] * 3 for i in range(n)}\n" + SUM,
        "class A:\n    def __getitem__(self, i):\n        return [i]\nn = 3\na = A()\n" + SUM,
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("row_hoist", "s = 0\n" + source) is None


@settings(deadline=None)  # machines are busy
@given(
    length=st.sampled_from(["n", "n + 1", "n - 1", "3", "m"]),
    first=st.sampled_from(["0", "1", "-1", "n - 2"]),
    stop=st.sampled_from(["n", "n - 1", "n + 1", "m", "2"]),
    offset=st.sampled_from(["", " + 1", " - 1", " - 2"]),
    inner=st.sampled_from(["n", "i", "0"]),
    stdin=st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_no_index_error_where_there_was_none(
    length: str, first: str, stop: str, offset: str, inner: str, stdin: tuple[int, int]
) -> None:
    source = (
        f"n = int(input())\nm = int(input())\na = [[1] * 9 for _ in range({length})]\ns = 0\n"
        f"for i in range({first}, {stop}):\n    for j in range({inner}):\n        s += a[i{offset}][j]\nprint(s)\n"
    )
    new = rewritten("row_hoist", source)
    if new is not None:
        text = "".join(f"{number}\n" for number in stdin)
        assert output(new, text) == output(source, text)
