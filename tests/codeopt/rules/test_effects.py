"""Generators, special methods and decorators run without a call that can be seen: nothing is hoisted over them."""

from __future__ import annotations

import pytest

from codeopt.rules import all_rules
from tests.codeopt.rules.programs import output, rewritten

LOOP = "    print(len(xs), sum(xs), 1 in xs, xs.count(1), sorted(xs)[0], sum(xs[:2]), len([x for x in xs if x < 2]))\n"

HIDDEN = {
    "generator": "def g():\n    for i in range(3):\n        xs.append(1)\n        yield i\nh = g()\nfor v in h:\n",
    "generator in zip": "def g():\n    while True:\n        xs.append(1)\n        yield 1\n"
    "for v in zip(range(3), g()):\n",
    "generator expression": "h = (xs.append(1) for _ in range(3))\nfor v in h:\n",
    "map": "def f(v):\n    xs.append(v)\nh = map(f, [1, 1])\nfor v in h:\n",
    "map in enumerate": "def f(v):\n    xs.append(v)\nh = enumerate(map(f, [1, 1]))\nfor v in h:\n",
    "next": "h = (xs.append(1) for _ in range(9))\nfor v in range(3):\n    next(h)\n",
    "list of a map": "for v in range(3):\n    list(map(xs.append, [1]))\n",
    "unpacked": "h = (xs.append(1) for _ in range(9))\nfor v in range(3):\n    a, *b = map(xs.append, [1, 1])\n",
    "in": "for v in range(3):\n    h = (xs.append(1) for _ in range(9))\n    5 in h\n",
    "takewhile": "from itertools import takewhile\nh = takewhile(lambda v: not xs.append(1), range(3))\nfor v in h:\n",
    "decorator": "def d(f):\n    xs.append(1)\n    return f\nfor v in range(3):\n    @d\n    def f(): pass\n",
    "str": "class A:\n    def __str__(self):\n        xs.append(1)\n        return 'a'\na = A()\n"
    "for v in range(3):\n    print(a)\n",
    "len": "class A:\n    def __len__(self):\n        xs.append(1)\n        return 2\na = A()\n"
    "for v in range(3):\n    if a: pass\n",
    "iter": "class A:\n    def __iter__(self):\n        xs.append(1)\n        return iter('a')\na = A()\n"
    "for v in range(3):\n"
    "    for b in a: pass\n",
    "operator": "class A:\n    __add__ = lambda self, other: xs.append(1)\na = A()\nfor v in range(3):\n    a + 1\n",
    "async": "import asyncio\nasync def f():\n    xs.append(1)\nfor v in range(3):\n    asyncio.run(f())\n",
    "factory": "from collections import defaultdict\nd = defaultdict(lambda: xs.append(1) or 0)\nfor v in range(3):\n"
    "    d[v] += 1\n",
    "reduce": "from functools import reduce\ndef f(a, b):\n    xs.append(a)\n    return b\nfor v in range(3):\n"
    "    reduce(f, [1, 2])\n",
}


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN)
def test_hidden_changes_are_seen(hidden: str) -> None:
    source = "xs = [3, 2]\n" + hidden + LOOP
    for rule in (each for each in all_rules() if each.safety == "safe"):  # of others test cases decide
        new = rewritten(rule.name, source)
        assert new is None or output(new) == output(source), new
