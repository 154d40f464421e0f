"""list_membership_to_set, counter, deque_popleft and deepcopy_list: the same answers, and what must stay a list."""

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


# Letters of a text that are counted once: what is the same, and what is left alone.


@pytest.mark.parametrize(
    "loop", ["for c in s:", "for c in set(s):", "for i, c in enumerate(s):", "for c in sorted(list(s)):"]
)
def test_letters_are_counted_once(loop: str) -> None:
    source = f"s = input()\nt = 0\n{loop}\n    t += s.count(c)\nprint(t)\n"
    assert "s_counts[c]" in same("counter", source, "abca\n", "\n")


@pytest.mark.parametrize(
    "body",
    [
        "for c in s.split('b'):\n    print(s.count(c))\n",
        "for c in s:\n    c = 'an'\n    print(s.count(c))\n",
        "for c in s:\n    s += 'a'\n    print(s.count(c))\n    if len(s) > 9: break\n",
        "for c in s:\n    print(s.count('an'), s.count(c + c), s.count(c, 1))\n",
        "for c, i in enumerate(s):\n    print(s.count(str(c)))\n",
    ],
)
def test_text_that_is_counted_otherwise(body: str) -> None:
    assert rewritten("counter", "s = 'banana'\n" + body) is None


# deepcopy_list: what is copied stays apart, and rows that stand in two places stay one.


GRID = "import copy\ng = {}\n{}h = copy.deepcopy(g)\nh[0].append(9)\ng[-1].append(8)\nprint(g, h)\n"
ROWS = "[row.copy() for row in g]"


@pytest.mark.parametrize(
    ("made", "then"),
    [
        ("[[0] * 2 for _ in range(3)]", ""),
        ("[[1], [2] + [3], sorted('ba')]", ""),
        ("[list(line) for line in ['ab', 'cd']]", "g[0][1] = 'x'\ng[1] = [5]\ng[0] += ['y']\n"),
        ("[]", "for i in range(3):\n    g.append([i] * i)\ng.reverse()\ng.pop()\n"),
        ("[[2], [1]]", "g = copy.deepcopy(g)\n"),
        ("[[2], [1]]", "print(sum(map(sum, g)), max(g, key=max))\n"),
        ("[line.split() for line in ['a b', 'c']]", "g.insert(0, g[1][:])\ng.insert(0, g[1].copy())\n"),
    ],
)
def test_rows_of_their_own(made: str, then: str) -> None:
    assert ROWS in same("deepcopy_list", GRID.format(made, then))


@pytest.mark.parametrize(
    ("made", "then"),
    [
        ("[[0] * 2] * 3", ""),
        ("[[1]] + [[2]]", "g += g\n"),
        ("[[1], [2]]", "g[0] = g[1]\n"),
        ("[[1], [2]]", "g[0], g[1] = g[1], g[1]\n"),
        ("[[1], [2]]", "g[:] = [g[0], g[0]]\n"),
        ("[[1], [2]]", "g.append(g[0])\n"),
        ("[[1], [2]]", "g.extend(g)\n"),
        ("[[1], [2]]", "b = g\nb += b\n"),
        ("[[1], [2]]", "for g[0] in [g[1]]:\n    pass\n"),
        ("[r for r in ([0],) for _ in range(2)]", ""),
        ("[[[1]], [[2]]]", ""),
        ("[[1], [2]]", "from somewhere import f\nf(g)\n"),
        ("[[object()], [2]]", ""),
    ],
)
def test_rows_that_may_be_one(made: str, then: str) -> None:
    assert rewritten("deepcopy_list", GRID.format(made, then)) is None


@pytest.mark.parametrize(
    "made",
    [
        "[1, 'a', (2, None)]",
        "{1: 2.5, (1, 2): 'x'}",
        "{1, 2}",
        "collections.Counter('abca')",
        "collections.deque([1])",
    ],
)
def test_flat_things(made: str) -> None:
    source = f"import collections\nfrom copy import deepcopy\na = {made}\nb = deepcopy(a)\na.clear()\nprint(a, b)\n"
    assert "b = a.copy()" in same("deepcopy_list", source)


@pytest.mark.parametrize(
    "source",
    [
        "import copy\na = {1: [2]}\nprint(copy.deepcopy(a))\n",
        "import copy\na = [1]\nprint(copy.deepcopy(a, {}), copy.copy(a))\n",
        "def deepcopy(v):\n    return v\na = [1]\nprint(deepcopy(a))\n",
        "import copy\nclass A(list):\n    pass\nprint(type(copy.deepcopy(A())))\n",
        "from copy import deepcopy\nprint(deepcopy((1, [2])))\n",
    ],
)
def test_left_alone(source: str) -> None:
    assert rewritten("deepcopy_list", source) is None


def test_copies_are_followed() -> None:
    """What is done to a copy may be done to its rows: a call over them is not taken out of the loop."""
    source = "import copy\ng = [[1]]\nr = g[0]\nfor i in range(3):\n    copy.copy(g)[0].append(i)\n    print(len(r))\n"
    assert rewritten("loop_invariant", source) is None
