"""modular_factorial, literal_sum and guard_break: tables of what is the same and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same


@settings(deadline=None)  # machines are busy
@given(n=st.integers(-2, 40), modulus=st.integers(-9, 30))
def test_factorial(n: int, modulus: int) -> None:
    source = "import math\nn = int(input())\nm = int(input())\nprint(math.factorial(n) % m)\n"
    new = rewritten("modular_factorial", source)
    assert new is not None
    assert output(new, f"{n}\n{modulus}\n") == output(source, f"{n}\n{modulus}\n")


@pytest.mark.parametrize(
    "source",
    [
        "from math import factorial\nprint(factorial(float('3')) % 7)\n",
        "from math import factorial\nprint(factorial(3) % 2.5)\n",
        "from math import factorial\nx = factorial(9)\nprint(x % 7, x)\n",
        "def factorial(n):\n    return n\nprint(factorial(3) % 7)\n",
    ],
)
def test_factorial_refused(source: str) -> None:
    assert rewritten("modular_factorial", source) is None


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3):\n    print(sum([i, i * 2, i - 1]) * 2)\n",
        "for i in range(3):\n    print(-sum((i + 1, -i, i % 2)))\n",
        "for i in range(3):\n    x = sum([i - 1, i if i else 2]); print(x)\n",
        "for i in range(3):\n    print(max([i, 1, 2]), min((i, 1)))\n",
        "for i in range(3):\n    print(sum([True, i == 1]))\n",
    ],
)
def test_literal(source: str) -> None:
    assert "[" not in same("literal_sum", source).replace("range(3)", "")


@pytest.mark.parametrize(
    "source",
    [
        "print(sum([1, 2]))\n",
        "for i in range(3):\n    print(sum([i, 0.5]))\n",
        "for i in range(3):\n    print(sum([i]), max([i]))\n",
        "for i in range(3):\n    print(sum([i, *[1]]))\n",
        "for i in range(3):\n    print(sum([i, 1], 5), max([i, 2], key=abs))\n",
        "for i in range(3):\n    print(sum([i, eval(input())]))\n",
        "sum = max\nfor i in range(3):\n    print(sum([i, 1]))\n",
    ],
)
def test_literal_refused(source: str) -> None:
    assert rewritten("literal_sum", source) is None


@settings(deadline=None)  # machines are busy
@given(
    test=st.sampled_from(
        ["i > n", "i + w >= n", "n < i", "n - i <= w", "j > n", "j >= n + w", "n - w <= j", "i - n > 0"]
    ),
    before=st.sampled_from(["j = i + w", "j = i - w", "j = w + i + 1"]),
    n=st.integers(-2, 8),
    w=st.integers(-3, 4),
)
def test_guard(test: str, before: str, n: int, w: int) -> None:
    source = (
        "n = int(input())\nw = int(input())\nfor i in range(n + 3):\n"
        f"    {before}\n    if {test}:\n        continue\n    print(i, j)\n"
    )
    new = rewritten("guard_break", source)
    assert new is not None
    assert output(new, f"{n}\n{w}\n") == output(source, f"{n}\n{w}\n")


@pytest.mark.parametrize(
    "body",
    [
        "    if i < 3:\n        continue\n    print(i)\n",
        "    if i % 2 > 0:\n        continue\n    print(i)\n",
        "    if i > n:\n        continue\n    n += 2\n",
        "    print(i)\n    if i > n:\n        continue\n",
        "    if i > n:\n        print(i)\n        continue\n",
        "    if i > n:\n        continue\n    print(i)\nelse:\n    print(9)\n",
        "    if i > n:\n        continue\nprint(i)\n",
        "    j = i + 1\n    if j > n:\n        continue\nprint(j)\n",
        "    if i > a[0]:\n        continue\n    print(i)\n",
        "    if i > x:\n        continue\n    print(i)\n",
        "    i = 3\n    if i > n:\n        continue\n    print(i)\n",
        "    if i > n:\n        continue\n    f()\n",
        "    j = 5 - i\n    if j > n:\n        continue\n    print(i)\n",
        "    n = n + i\n    if n > 9:\n        continue\n    print(i)\n",
        "    k = i - n\n    n = i + k\n    if n > 9:\n        continue\n    print(i)\n",
        "    if i > n:\n        continue\n    print(i)\nfor i in range(i):\n    print(i)\n",
    ],
)
def test_guard_refused(body: str) -> None:
    head = "n = 2\na = [3]\nx = float('2')\ndef f():\n    global n\n    n += 1\nfor i in range(9):\n"
    assert rewritten("guard_break", head + body) is None


def test_guard_refused_for_loops_that_count_down() -> None:
    assert rewritten("guard_break", "for i in range(9, 0, -1):\n    if i > 3:\n        continue\n") is None
    assert rewritten("guard_break", "for i in [9, 1]:\n    if i > 3:\n        continue\n    print(i)\n") is None
