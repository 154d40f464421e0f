"""repeated_call: one call for two that cannot differ."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same


@pytest.mark.parametrize(
    "source",
    [
        "m = 7\nfor i in range(3):\n    a = pow(2, i, m)\n    b = pow(2, i, m) + 1\n    print(a, b)\n",
        "import math\nfor i in range(3):\n    print(math.sqrt(i) + math.sqrt(i))\n",
        "a = [1, 2, 3]\nfor i in range(3):\n    x = pow(a[i], 2)\n    y = x + pow(a[i], 2)\n    print(y)\n",
        "for i in range(12):\n    if str(i)[0] == '1' and str(i)[-1] == '1':\n        print(i)\n",
        "def f(x):\n    return str(x) + str(x)\nprint(f(3), f(4))\n",
        "a = [3, 1]\nfor i in range(3):\n    print(max(a), a.index(max(a)))\n    a[a.index(max(a))] = 0\n",
        "def g(x):\n    y = x + 1\n    return y\nfor i in range(3):\n    print(g(i) + pow(i, 3) + pow(i, 3))\n",
        "a = [3, 1]\nm = []\nfor i in range(3):\n    m.append([max(a), a.index(max(a))])\n"
        "    a[a.index(max(a))] = 0\nprint(m)\n",
        "s = 'abcab'\nfor c in s:\n    print(s.count(c) * 2 + s.count(c))\n",
        "a = [2.5, 1]\nfor i in range(3):\n    print(sum(a) / len(a), sum(a))\n    a.append(i)\n",
    ],
)
def test_kept(source: str) -> None:
    same("repeated_call", source)


@pytest.mark.parametrize(
    "source",
    [
        "print(str(1) + str(1))\n",
        "for i in range(3):\n    print(str(i), str(i + 1))\n",
        "for i in range(3):\n    x = str(i)\n    i += 1\n    y = str(i)\n",
        "a = [1, 2, 3]\nfor i in range(3):\n    x = str(a[0])\n    a[0] += 1\n    y = str(a[0])\n",
        "a = [1, 2, 3]\ndef f():\n    a[0] += 1\n    return 0\nfor i in range(3):\n"
        "    x = str(a[0])\n    y = f() + int(str(a[0]))\n",
        "for i in range(3):\n    x = str(i)\n    y = (i := i + 1) and str(i)\n",
        "for i in range(3):\n    if i and str(i): print(1)\n    print(str(i))\n",
        "for i in range(3):\n    x = str(i) if i else 0\n    while str(i) == '2':\n        break\n",
        "class A:\n    def __str__(self):\n        print(1)\n        return ''\nfor i in range(3):\n"
        "    a = A()\n    print(str(a) + str(a))\n",
        "for i in range(3):\n    print(input() + input())\n",
        "import random\nfor i in range(3):\n    print(random.random() + random.random())\n",
        "a = [[1], [2]]\nfor i in range(3):\n    print(max(a), max(a))\n",
        "a = [1, 2]\nfor i in range(3):\n    x = max(a)\n    a[0] += i\n    y = max(a)\n",
        "a = [1, 2]\nb = a\nfor i in range(3):\n    x = a.index(max(a))\n    b.reverse()\n    y = a.index(max(a))\n",
        "a = [1, 2, 3]\nfor i in range(2):\n    print(a.pop() + max(a) + max(a))\n",
        "a = [1, 2]\nfor i in range(3):\n    x = a.index(1) if i else a.count(1)\n",
        "b = [5, 6]\nfor i in range(2):\n    try:\n        z = [b.pop(), b[0], int('x'), int('x')]\n"
        "    except ValueError:\n        print(len(b))\n",
        "a = [1]\nb = [5, 6]\ndef f():\n    return [b.pop(), a.index(9), a.index(9)]\nfor i in range(2):\n    try:\n"
        "        f()\n    except ValueError:\n        print(len(b))\n",
        "n = 0\ndef g():\n    global n\n    n += 1\n    return n\nfor i in range(2):\n    try:\n"
        "        z = g() + int('x') + int('x')\n    except ValueError:\n        print(n)\n",
        "class A:\n    def index(self, x):\n        print(x)\na = A()\nfor i in range(3):\n"
        "    print(a.index(1), a.index(1))\n",
        "str = repr\nfor i in range(3):\n    print(str(i) + str(i))\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("repeated_call", source) is None
