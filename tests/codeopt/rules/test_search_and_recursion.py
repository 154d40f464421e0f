"""memo_recursion, isqrt_trial_division and early_exit: what is the same and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same


@pytest.mark.parametrize(
    "source",
    [
        "def f(n, k):\n    if k == 0 or k == n:\n        return 1\n    return f(n - 1, k) + f(n - 1, k - 1)\n"
        "print(f(9, 4))\n",
        "import sys\nwrite = sys.stdout.write\ndef f(n):\n    if n < 2:\n        return n\n"
        "    return f(n - 1) + f(n - 2)\nfor i in range(5):\n    write(f'{f(i)} ')\n",
        "m = 7\ndef f(n):\n    if n < 2:\n        return n\n    return (f(n - 1) + f(n - 2)) % m\nprint(f(15))\n",
        "a = [1, 5, 2]\ndef f(i):\n    if i >= len(a):\n        return 0\n"
        "    return max(f(i + 1), f(i + 2) + a[i])\nprint(f(0))\n",
        "def f(s):\n    if len(s) < 2:\n        return len(s)\n    rows = [f(s[1:]), f(s[:-1])]\n"
        "    return max(rows)\nprint(f('abcd'))\n",
    ],
)
def test_memo(source: str) -> None:
    assert "@cache" in same("memo_recursion", source)


FIB = "    if n < 2:\n        return n\n    return f(n - 1) + f(n - 2)\n"


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    return f(n - 1) if n else 0\nprint(f(3))\n",
        "def f(n):\n    print(n)\n" + FIB + "print(f(3))\n",
        "c = 0\ndef f(n):\n    global c\n    c += 1\n" + FIB + "print(f(3), c)\n",
        "a = []\ndef f(n):\n    a.append(n)\n" + FIB + "print(f(3), a)\n",
        "k = 1\ndef f(n):\n    if n < k:\n        return n\n    return f(n - 1) + f(n - 2)\nprint(f(3))\n"
        "k = 2\nprint(f(3))\n",
        "a = [1]\ndef f(n):\n    if n < a[0]:\n        return n\n    return f(n - 1) + f(n - 2)\nfor i in range(3):\n"
        "    print(f(3))\n    a[0] += 1\n",
        "def f(n):\n    if n < 2:\n        return [n]\n    return f(n - 1) + f(n - 2)\nprint(f(3))\n",
        "def f(n):\n" + FIB + "print(f(3), f(3.5))\n",
        "def f(n):\n" + FIB + "print(f(3), f(True))\n",
        "def f(n):\n" + FIB + "print(f(eval(input())))\n",
        "def f(a):\n    if not a:\n        return 0\n    return f(a[1:]) + f(a[2:])\nprint(f([1, 2, 3]))\n",
        "import sys\nsys.setrecursionlimit(10**6)\ndef f(n):\n" + FIB + "print(f(3))\n",
        "import random\ndef f(n):\n    if n < 2:\n        return random.random()\n"
        "    return f(n - 1) + f(n - 2)\nprint(f(3))\n",
        "from random import *\ndef f(n):\n    if n < 2:\n        return random()\n"
        "    return f(n - 1) + f(n - 2)\nprint(f(3))\n",
        "import time\ndef main():\n    def f(n):\n        if n < 2:\n            return time.time()\n"
        "        return f(n - 1) + f(n - 2)\n    print(f(3))\nmain()\n",
        "def f(n):\n    if n < 2:\n        return int(input())\n    return f(n - 1) + f(n - 2)\nprint(f(3))\n",
        "def f(n):\n" + FIB + "g = f\nprint(g(3))\n",
        "class A:\n    def f(self, n):\n        return 1 if n < 2 else self.f(n - 1) + self.f(n - 2)\n"
        "print(A().f(3))\n",
    ],
)
def test_memo_refused(source: str) -> None:
    assert rewritten("memo_recursion", source) is None


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
    new = rewritten("isqrt_trial_division", source)
    assert new is not None
    assert new.count("isqrt(") == 3
    assert output(new, str(n)) == output(source, str(n))


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


@pytest.mark.parametrize(
    "source",
    [
        "x = 0\nfor c in 'abc':\n    if c == 'b':\n        x = 1\nprint(x)\n",
        "a = [1, 2]\nfound = done = 0\nfor i in range(2):\n    if a[i] == 1:\n        found = 1\n"
        "        done = 2\nprint(found, done)\n",
    ],
)
def test_early_exit(source: str) -> None:
    assert "break" in same("early_exit", source)


@pytest.mark.parametrize(
    "source",
    [
        "for i in range(3):\n    if i == 1:\n        x = i\n",
        "for i in range(3):\n    if i == 1:\n        x = 1\nprint(i)\n",
        "x = 0\nfor i in range(3):\n    if x == 0:\n        x = 1\n",
        "for i in range(3):\n    if i == 1:\n        x = 1\n    else:\n        x = 2\n",
        "for i in range(3):\n    if i == 1:\n        x = 1\nelse:\n    print(2)\n",
        "import sys\nfor s in sys.stdin:\n    if s == 'a':\n        x = 1\n",
        "it = iter([1, 2])\nfor i in it:\n    if i == 1:\n        x = 1\nprint(list(it))\n",
        "for i in range(3):\n    if int(input()) == 1:\n        x = 1\n",
        "a = [1, 2]\nfor i in range(2):\n    if a.pop() == 1:\n        x = 1\nprint(a)\n",
        "for i in range(3):\n    if i == 1:\n        x = 1\n        break\n",
        "for i in range(3):\n    if i == 1: x = 1\n",
    ],
)
def test_early_exit_refused(source: str) -> None:
    assert rewritten("early_exit", source) is None
