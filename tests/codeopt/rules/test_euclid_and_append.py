"""euclid_gcd and list_append: what is the same and what is refused."""

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


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    out = [0]\n    for i in range(n):\n        out = out + [i + len(out)]\n    return out\n"
        "print(f(4))\n",
        "a = []\nfor i in range(5):\n    if i not in a and a != [3]:\n        a = a + [i, -i]\n"
        "print(a, a[1:], sum(a))\n",
        "a = [1]\nfor x in a:\n    print(x)\nfor i in range(3):\n    a = a + [a[-1] * 2]\nprint(*a)\n",
        "def f(n):\n    a: list[int] = []\n    while len(a) < n:\n        a = a + [n]\n"
        "        if a[0] == 3: a = []; n = 2\n"
        "    return a\nprint(f(3), f(4))\n",
    ],
)
def test_append(source: str) -> None:
    same("list_append", source)


@pytest.mark.parametrize(
    "line",
    [
        "b = a",
        "b.append(a)",
        "b = (a, 1)",
        "b = [a]",
        "f = lambda: a",
        "touch(a)",
        "a = b",
        "b = a is not b",
        "b = a if i else b",
        "b = a or b",
        "for x in a: a = a + [x]; i or a.clear()",
        "del a; a = []",
        "b = enumerate(a)",
        "b = (x for x in a)",
        "b = map(str, a)",
        "b = a.append",
        "b += a",
        "b = print(1, file=a)",
    ],
)
def test_append_refused(line: str) -> None:
    assert (
        rewritten("list_append", f"a = []\nb = []\nfor i in range(2):\n    {line}\n    a = a + [i]\nprint(a)\n") is None
    )


@pytest.mark.parametrize(
    "source",
    [
        "def f(a):\n    for i in range(2):\n        a = a + [i]\n    return a\nprint(f([]))\n",
        "def f(a=[]):\n    for i in range(2):\n        a = a + [i]\n    return a\nprint(f(), f())\n",
        "a = ''\nfor i in range(2):\n    a = a + str(i)\nprint(a)\n",
        "a = []\nfor i in range(2):\n    a = [i] + a\nprint(a)\n",
        "a = []\nfor i in range(2):\n    a = a + [*range(i)]\nprint(a)\n",
        "a = []\ndef f():\n    return a\nfor i in range(2):\n    b = f()\n    a = a + [i]\nprint(b)\n",
        "def f():\n    a = []\n    try:\n        for i in range(2):\n            a = a + [i]\n        return a\n"
        "    finally:\n        a = a + [9]\nprint(f())\n",
    ],
)
def test_append_refused_for_other_lists(source: str) -> None:
    assert rewritten("list_append", source) is None
