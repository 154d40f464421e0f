"""loop_invariant: calls that stay the same and cannot fail, and no others."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same


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
