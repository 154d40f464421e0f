"""list_membership_to_set, counter and deque_popleft: the same answers, and lists that must stay lists."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same


@pytest.mark.parametrize(
    "source",
    [
        "a = [1, 2.5, 'x', None, (1, 2)]\nfor x in [1, 'y', (1, 2), True]:\n    print(x in a, x not in a)\n",
        "a = [1, 2]\nb = [x for x in range(5) if x in a]\nprint(b)\n",
        "a = [1, 2]\nprint(sum(1 for x in range(5) if x not in a))\n",
        "def f(a, b):\n    n = 0\n    for x in b:\n        if x in a: n += 1\n    return n\nprint(f([1], [1, 2]))\n",
        "a = []\nfor x in [3, 1, 3]:\n    if x not in a:\n        a.append(x)\nprint(a, len(a))\n",
        "def f(xs):\n    out = []\n    for x in xs:\n        if x in out:\n            return x\n"
        "        out.append(x)\n    return out\n"
        "print(f([1, 2, 1]), f([1]))\n",
        "import io\na = []\nwith io.StringIO('b a b') as file:\n    for x in str(file.read()).split():\n"
        "        if x not in a:\n            a.append(x)\nprint(a)\n",
        "a = [1]\ng = (x in a for x in range(3))\na.append(2)\nprint(list(g))\n",
        "nan = float('nan')\na = [nan, 1]\nfor x in [nan, 1.0]:\n    print(x in a)\n",
        "def f(xs: list[str]) -> list[str]:\n    out: list[str] = []\n    for x in xs:\n        if x not in out:\n"
        "            out.append(x)\n    return out\nprint(f('b a b'.split()))\n",
    ],
)
def test_set(source: str) -> None:
    assert "_set" in same("list_membership_to_set", source)


@pytest.mark.parametrize(
    "source",
    [
        "a = [1]\nprint(1 in a)\n",
        "a = [[1]]\nfor x in range(3):\n    print([x] in a)\n",
        "a = [1]\nfor x in range(3):\n    print([x] in a)\n",
        "a = [1]\nb = a\nfor x in range(3):\n    b.append(x)\n    print(x in a)\n",
        "a = [1]\nwith keeping(a) as b:\n    for x in range(3):\n        print(x in a)\n        b.append(x)\n",
        "a = []\nb = a\nfor x in range(3):\n    if x not in a: a.append(x)\nb.append(9)\n",
        "a = []\nfor x in range(3):\n    if x not in a: a.append(x)\n    a.pop()\n",
        "a = []\nfor x in range(3):\n    if x not in a: a.append(x)\n    a[0] = 5\n",
        "a = []\nfor x in range(3):\n    if x not in a: a.append(x)\n    a += [1]\n",
        "a = []\nfor x in range(3):\n    if x not in a: a.append(x + 1)\n",
        "a = []\ndef f():\n    global a\n    a = []\nfor x in range(3):\n    if x not in a: a.append(x)\n    f()\n",
        "from somewhere import f\na = [1]\nf(a)\nfor x in range(3):\n    f(x)\n    print(x in a)\n",
        "class A:\n    def __eq__(self, o):\n        return True\na = [A()]\nfor x in range(3):\n    print(x in a)\n",
        "a = list(range(2))\ng = (x in a for x in range(3))\na.append(2)\nprint(list(g))\n",
        "a = 'abc'\nfor x in 'abx':\n    print(x in a)\n",
        "a = [1]\nfor x in range(3):\n    a = [x]\n    print(x in a)\n",
    ],
)
def test_set_refused(source: str) -> None:
    assert rewritten("list_membership_to_set", source) is None


@pytest.mark.parametrize(
    "source",
    [
        "a = [1, 2, 1]\nfor x in range(4):\n    print(a.count(x))\n",
        "def f(a):\n    return max([(a.count(x), x) for x in a])\nprint(f([3, 1, 3]))\n",
        "from collections import Counter\na = ['x', 'y', 'x']\nprint(max(a.count(x) for x in a), Counter(a))\n",
    ],
)
def test_counter(source: str) -> None:
    assert "_counts" in same("counter", source)


@pytest.mark.parametrize(
    "source",
    [
        "a = [1]\nprint(a.count(1))\n",
        "a = 'banana'\nfor x in ['an', 'a']:\n    print(a.count(x))\n",
        "a = [[1]]\nfor x in range(3):\n    print(a.count([x]))\n",
        "a = [1]\nfor x in range(3):\n    a.append(x)\n    print(a.count(x))\n",
        "Counter = 3\na = [1]\nfor x in range(3):\n    print(a.count(x))\n",
    ],
)
def test_counter_refused(source: str) -> None:
    assert rewritten("counter", source) is None


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    q = [1, 2]\n    out = []\n    while q and len(q) < 9:\n        x = q.pop(0)\n"
        "        out.append(x)\n"
        "        if x < 3: q.append(x + 1); q.extend([x + 2])\n    return out, len(q)\nprint(f())\n",
        "q = [i for i in range(4)]\nwhile len(q) > 1:\n    q.insert(0, q.pop() + q[-1])\n    print(q.pop(0), q[0])\n",
        "from collections import deque\nq = [1]\nwhile q:\n    print(q.pop(0))\nprint(deque([1]))\n",
        "q = []\nfor i in range(3):\n    q.pop(0)\n",
        "def f():\n    q: list[int] = [1, 2]\n    while q:\n        print(q.pop(0))\nf()\n",
        "class Q:\n    def __init__(self):\n        self.q: list[int] = []\n    def put(self, x):\n"
        "        self.q.append(x)\n"
        "    def get(self):\n        return self.q.pop(0) if self.q else None\n    def __len__(self):\n"
        "        return len(self.q)\na, b = Q(), Q()\nfor i in range(4):\n    a.put(i)\n    b.put(a.get())\n"
        "print(len(a), len(b), b.get(), b.get(), a.get())\n",
    ],
)
def test_deque(source: str) -> None:
    assert "deque(" in same("deque_popleft", source)


@pytest.mark.parametrize(
    "source",
    [
        "q = [1]\nq.pop(0)\n",
        "q = [1, 2]\nwhile q:\n    q.pop(0)\n    print(q)\n",
        "q = [1, 2]\nwhile q:\n    q.pop(0)\n    print(q[1:])\n",
        "q = [1, 2]\nwhile q:\n    q.pop(0)\n    r = q\n",
        "q = [1, 2]\nwhile q:\n    q.pop(0)\n    q.sort()\n",
        "q = [1, 2]\nwhile q:\n    q.pop(0)\n    for x in q: print(x)\n",
        "q = [1, 2]\nwhile q != []:\n    q.pop(0)\n",
        "q = [1, 2]\nwhile q:\n    q.pop(1)\n    q.pop(0)\n",
        "q = list(range(3))\nwhile q:\n    q.pop(0)\n",
        "def f(q):\n    while q:\n        q.pop(0)\nf([1, 2])\n",
        "q = {0: 1}\nfor i in range(3):\n    q.pop(0)\n",
        "q = [1, 2]\ndeque = 3\nwhile q:\n    q.pop(0)\n",
        "from collections import deque as d\ndef deque(x): return x\nq = [1, 2]\nwhile q:\n    q.pop(0)\nprint(d)\n",
        "q = [1]\ntry:\n    while True:\n        q.pop(0)\nexcept IndexError as error:\n    print(error)\n",
        *(
            f"class Q{bases}:\n    {body}\n    def __init__(self, q=[]):\n        self.q = {first}\n"
            f"    def get(self):\n"
            f"        return self.q.pop(0)\na = Q()\nfor i in range(2):\n    {use}\n    a.get()\n"
            for bases, body, first, use in [
                ("(Other)", "pass", "[1, 2]", "pass"),
                ("", "q = [3]", "[1, 2]", "pass"),
                ("", "pass", "q", "pass"),
                ("", "pass", "[1, 2]", "print(a.q)"),
                ("", "pass", "[1, 2]", "getattr(a, 'q')"),
                ("", "pass", "[1, 2]", "hand_over(Q)"),
                ("", "def __str__(self): return str(self.q)", "[1, 2]", "pass"),
            ]
        ),
    ],
)
def test_deque_refused(source: str) -> None:
    assert rewritten("deque_popleft", source) is None
