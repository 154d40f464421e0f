"""The types that rules rely on: what is inferred, and that unknown code makes things unknown."""

from __future__ import annotations

import ast

import pytest

from codeopt.analysis import Container, parse


def inferred(source: str) -> str:
    """The type of the last expression of a program, as a short text."""
    program = parse(source)
    assert program is not None
    last = program.tree.body[-1]
    assert isinstance(last, ast.Expr)
    return show(program.types.of(last.value))


def show(values: frozenset[object] | set[object], depth: int = 3) -> str:
    if not depth:
        return "..."
    names = []
    for value in values:
        if isinstance(value, Container):
            keys = f"{show(value.keys, depth - 1)}: " if value.kind == "dict" else ""
            names.append(f"{value.kind}[{keys}{show(value.elements, depth - 1)}]{'!' if value.escaped else ''}")
        else:
            names.append(value if isinstance(value, str) else "function")
    return "|".join(sorted(set(names)))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = int(input())\nx + 1", "int"),
        ("a, b = map(int, input().split())\na * b", "int"),
        ("a, b = map(int, input().split())\na / b", "float"),
        ("a = list(map(int, input().split()))\na", "list[int]"),
        ("a = [[0] * 3 for _ in range(3)]\na", "list[list[int]]"),
        ("a = []\nfor i in range(3):\n    a.append(i)\na", "list[int]"),
        ("a = []\nb = a\nb.append('s')\na", "list[str]"),
        ("a = [1]\na[0] = 2.5\na", "list[float|int]"),
        ("d = {}\nd['a'] = [1]\nd", "dict[str: list[int]]"),
        ("from collections import defaultdict\nd = defaultdict(list)\nd[3].append('x')\nd", "dict[: list[str]]"),
        ("from collections import deque\nq = deque([1])\nq.append(2)\nq.popleft()", "int"),
        ("def f(x):\n    return x + 1\nf(3)", "int"),
        ("def f(x):\n    if x:\n        return 1\nf(3)", "int|none"),
        ("def f(x, a=[]):\n    a.append(x)\n    return a\nf('s')", "list[str]"),
        ("import sys\ninput = sys.stdin.readline\nn = int(input())\ninput()", "str"),
        ("import math\nmath.sqrt(2) + math.floor(2.5)", "float"),
        ("s = 'abc'\n[c for c in s][0] * 3", "str"),
        ("2 ** int(input())", "float|int"),
        ("x = 5\nx **= 2\nx", "int"),
        ("f = lambda v: v * 2\nf(4)", "int"),
        ("(1, 'a')", "tuple[int|str]"),
        ("sorted({3: 'x'}.items(), key=lambda t: t[0])", "list[tuple[int|str]]"),
        ("eval(input())", "?"),
        ("from somewhere import f\na = [1]\nf(a)\na", "list[?|int]!"),
        ("class A:\n    pass\na = [1]\nb = A()\nb.x = a\na", "list[?|int]!"),
        ("def f(x):\n    return x\nimport other\nother.run(f)\nf(1)", "?|int"),
        ("import functools\n@functools.cache\ndef f(x):\n    return x\nf(1)", "?"),
        ("class A:\n    def f(self, x):\n        return x\nA().f(1)", "?"),
        ("def f():\n    yield 1\nf()", "?|none"),
        ("a = [1]\ng = a.append\na", "list[?|int]!"),
        ("x = 1\ntry:\n    pass\nexcept ValueError as x:\n    pass\nx", "?|int"),
        ("with open('f') as x:\n    a = x.read().split()\na", "list[str]"),
        ("for x in open(0):\n    pass\nx", "str"),
        ("a = open('f', 'rt', encoding='utf-8').readlines()\na", "list[str]"),
        ("x = open('f', 'rb').read()\nx", "?"),
        ("mode = input()\nx = open('f', mode).read()\nx", "?"),
        ("x = open('f', opener=print).read()\nx", "?"),
        ("with open('f', 'rb') as x:\n    pass\nx", "?"),
        ("def open(x):\n    return 1\nopen('f')", "int"),
        ("import csv\nfor x in csv.reader(open('f'), delimiter=';'):\n    pass\nx", "list[str]"),
        ("import csv\nfor x in csv.reader(open('f'), quoting=csv.QUOTE_NONNUMERIC):\n    pass\nx", "?"),
        ("from math import *\nsqrt(2)", "float"),
        ("from math import *\npi", "float"),
        ("from collections import *\nd = defaultdict(list)\nd[3].append('x')\nd", "dict[: list[str]]"),
        ("from math import *\npow(2, 3)", "?"),
        ("from math import *\nfrom cmath import *\nsqrt(2)", "?"),
        ("from math import *\nfrom somewhere import *\nsqrt(2)", "?"),
        ("from math import *\ndef sqrt(x):\n    return x\nsqrt(2)", "?"),
        ("import sys\nwrite = sys.stdout.write\nwrite('x')", "int"),
        ("def f(*a):\n    return a\nf(1)", "?"),
        ("{'a': 1}.get('b')", "int|none"),
        ("{'a': 1}.get('b', 2.5)", "float|int"),
        ("{'a': 1}.keys()", "iterator[str]"),
        ("{'a': 1}.values()", "iterator[int]"),
        ("{'a': 1}.items()", "iterator[tuple[int|str]]"),
        ("{'a': 1}.setdefault('b', 2.5)", "float|int"),
        ("d = {'a': 1}\nd.setdefault(3, 2.5)\nd", "dict[int|str: float|int]"),
        ("{'a': 1}.pop('a', None)", "int|none"),
        ("{'a': 1}.copy()", "dict[str: int]"),
        ("{1}.union([2.5])", "set[float|int]"),
        ("a = [1]\na.insert(0, 'x')\na", "list[int|str]"),
        ("a = [1]\na.extend(['x'])\na", "list[int|str]"),
        ("a = [1]\na.unknown('x')\na", "list[?|int]!"),
    ],
)
def test_inferred(source: str, expected: str) -> None:
    assert inferred(source) == expected
