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
        "str = repr\nfor i in range(3):\n    print(str(i) + str(i))\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("repeated_call", source) is None
