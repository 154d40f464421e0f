"""modular_factorial and literal_sum: tables of what is the same and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import rewritten, same


@settings(deadline=None)  # machines are busy
@given(n=st.integers(-2, 40), modulus=st.integers(-9, 30))
def test_factorial(n: int, modulus: int) -> None:
    source = "import math\nn = int(input())\nm = int(input())\nprint(math.factorial(n) % m)\n"
    same("modular_factorial", source, f"{n}\n{modulus}\n")


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
