"""loop_invariant, row_hoist and isqrt_trial_division: what leaves a loop, and what stays."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same


@pytest.mark.parametrize(
    "source",
    [
        "a = [1, 2, 3]\ns = 0\nfor i in range(5):\n    s += len(a)\nprint(s)\n",
        "s = 'abc'\nfor i in range(5):\n    if i == len(s) - 1: print(i)\n",
        "def f(a):\n    i = 0\n    while i < len(a):\n        a[i] = 0; i += 1\n    return a\nprint(f([1, 2]))\n",
        "a = [1, 2]\nb = []\nfor i in range(3):\n    for j in range(len(a)):\n        b.append(i * j)\nprint(b)\n",
        "x = int('3')\nfor i in range(3):\n    print(i * abs(x), min(x, 2), max(x, 5))\n",
        "a = [1, 2]\ndef g(v):\n    return v + 1\nfor i in range(3):\n    print(g(sum(a)))\n",
        "a = list(map(int, '3 1 2'.split()))\nb = []\nfor x in a:\n"
        "    b.append((x - min(a)) / (max(a) - min(a)))\nprint(b)\n",
        "def f(a):\n    t = 0\n    for i in range(len(a)):\n        t += max(a) - a[i]\n    return t\n"
        "print(f([1, 2]), f([]))\n",
        "a = [1, 2]\nprint([x / sum(a) for x in a], [x for x in a if x == max(a)])\n",
    ],
)
def test_hoisted(source: str) -> None:
    same("loop_invariant", source)


@pytest.mark.parametrize(
    "source",
    [
        "a = [1]\nfor i in range(3):\n    a.append(len(a))\n",
        "y = input() and (s := 'ab')\nfor i in range(int(y)):\n    print(len(s))\n",
        "s: str\nfor i in range(0):\n    print(len(s))\n",
        "e = 'ab'\ntry:\n    1 // 0\nexcept ZeroDivisionError as e:\n    pass\nfor i in range(0):\n    print(len(e))\n",
        "a = [1]\nb = a\nfor i in range(3):\n    b.append(len(a))\n",
        "a = [1]\ndef f():\n    a.append(1)\nfor i in range(3):\n    f()\n    print(len(a))\n",
        "a = [1]\nfor i in range(3):\n    a = a + [len(a)]\n",
        "a = [1]\nfor i in range(3):\n    a += [len(a)]\n",
        "from heapq import heappush\na = [1]\nfor i in range(3):\n    heappush(a, len(a))\n",
        "from collections import defaultdict\nd = defaultdict(int)\nfor i in range(3):\n    print(len(d), d[i])\n",
        "from somewhere import f\na = [1]\nf(a)\nfor i in range(3):\n    f(1)\n    print(len(a))\n",
        "def f(a):\n    for i in range(3):\n        print(len(a))\n",
        "for i in range(3):\n    a = [i]\n    print(len(a))\n",
        "for i in range(int(input())):\n    if i:\n        print(len(a))\n    a = [1]\n",
        "m = int(input())\nfor i in range(3):\n    print(pow(2, 3, m))\n",
        "a = []\nfor i in range(0):\n    print(max(a))\n",
        "a = [1, 'x']\nfor x in a:\n    print(max(a))\n",
        "a = [1, 2]\nfor x in a:\n    a[0] = x\n    print(max(a))\n",
        "a = [1]\nb = []\nfor x in a:\n    for y in b:\n        print(max(b), b.append(1))\n",
        "len = sum\na = [1]\nfor i in range(3):\n    print(len(a))\n",
        "class A:\n    def __len__(self):\n        print(1)\n        return 1\na = A()\n"
        "for i in range(3):\n    print(len(a))\n",
        "a = [1]\nfor i in range(len(a)):\n    print(i)\n",
        "import threading\na = [1]\ndef f():\n    a.append(2)\nthreading.Thread(target=f)\nfor i in range(3):\n"
        "    threading.x()\n    print(len(a))\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("loop_invariant", source) is None


# row_hoist: rows that stay and exist, and no others.


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
def test_the_row_is_hoisted(source: str) -> None:
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
def test_the_row_is_left_alone(source: str) -> None:
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


# isqrt_trial_division: what is the same and what is refused.


@settings(deadline=None)  # machines are busy
@given(
    stop=st.sampled_from(["n", "n // 2 + 1"]),
    test=st.sampled_from(["n % d == 0", "not n % d"]),
    n=st.integers(-5, 60),
)
def test_divisors(stop: str, test: str, n: int) -> None:
    source = (
        f"n = int(input())\nfor d in range(2, {stop}):\n    if {test}:\n        x = 'composite'\n        break\n"
        "else:\n    x = 'prime'\n"
        f"print(x, any(n % d == 0 for d in range(2, {stop})), all(n % d != 0 for d in range(2, {stop})))\n"
    )
    assert same("isqrt_trial_division", source, str(n)).count("isqrt(") == 3


@pytest.mark.parametrize(
    "loop",
    [
        "for d in range(2, n):\n    if n % d == 0:\n        print(d)\n        break\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = d\n        break\n",
        "for d in range(2, n):\n    if n % d == 0:\n        break\nprint(d)\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = 1\n",
        "for d in range(2, n):\n    if n % d == 0:\n        x = 1\n        break\nelse:\n    print(d)\n",
        "for d in range(3, n, 2):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n // 2):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n + 1):\n    if n % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n):\n    if m % d == 0:\n        x = 1\n        break\n",
        "for d in range(2, n):\n    if n % d == 1:\n        x = 1\n        break\n",
        "print(sum(n % d == 0 for d in range(2, n)), [n % d == 0 for d in range(2, n)])\n",
        "print(any(n % d != 0 for d in range(2, n)), all(n % d == 0 for d in range(2, n)))\n",
    ],
)
def test_divisors_refused(loop: str) -> None:
    assert rewritten("isqrt_trial_division", "n = int(input())\nm = 9\nx = 0\n" + loop) is None
