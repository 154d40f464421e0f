"""euclid_gcd: what is the same and what is refused."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

CALLS = "print([g(a, b) for a in range(-5, 30) for b in range(-5, 30)], g(10**40, 15**20))\n"


@pytest.mark.parametrize(
    "body",
    [
        "    while b:\n        a, b = b, a % b\n    return a\n",
        '    """The divisor."""\n    while b > 0:\n        rest = a % b\n        a = b\n        b = rest\n'
        "    return a\n",
        "    while b != 0:\n        t = b\n        b = a % b\n        a = t\n    return a\n",
        "    return a if b == 0 else g(b, a % b)\n",
        "    if b == 0:\n        return a\n    else:\n        return g(b, a % b)\n",
        "    if not b:\n        return a\n    return g(b, a % b)\n",
    ],
)
def test_euclid(body: str) -> None:
    calls = CALLS if "b > 0" not in body else CALLS.replace("range(-5, 30)]", "range(30)]")
    assert "math.gcd(a, b)" in same("euclid_gcd", "def g(a, b):\n" + body + calls)


@pytest.mark.parametrize(
    "source",
    [
        "def g(a, b):\n    while b:\n        a, b = b, b % a\n    return a\nprint(g(4, 6))\n",
        "def g(a, b):\n    while b:\n        a, b = b, a % b\n    return b\nprint(g(4, 6))\n",
        "def g(a, b):\n    while b:\n        a, b = b, a % b\n        print(a)\n    return a\nprint(g(4, 6))\n",
        "def g(a, b):\n    while b:\n        a, b = b, a % b\n    return a\nprint(g(4.0, 6))\n",
        "def g(a, b):\n    while b:\n        a, b = b, a % b\n    return a\nprint(g(True, True))\n",
        "def g(a, b):\n    while b:\n        a, b = b, a % b\n    return a\nprint(g(*map(int, input().split())))\n",
        "def g(a, b):\n    return g(b, a % b) if b else a\nh, g = g, lambda a, b: 5\nprint(h(4, 6))\n",
        "math = 3\ndef g(a, b):\n    while b:\n        a, b = b, a % b\n    return a\nprint(g(4, 6), math)\n",
        "def g(a, b=6):\n    while b:\n        a, b = b, a % b\n    return a\nprint(g([]))\n",
    ],
)
def test_euclid_refused(source: str) -> None:
    assert rewritten("euclid_gcd", source) is None
