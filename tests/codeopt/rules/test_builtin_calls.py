"""min_max_conditional: the same object as min() and max() give, ties, NaN and mixed numbers included."""

from __future__ import annotations

import itertools

import pytest

from tests.codeopt.rules.programs import output, rewritten, same

VALUES = "[1, 1.0, True, 0, -0.0, 0.0, 2, float('nan'), float('inf'), -3]"

SHAPES = [
    "x = {f}(x, e)",
    "x = {f}(e, x)",
    "x = {f}(x, e + 1)",
    "x = {f}(e - 1, x)",
    "x = {f}(x, abs(e))",
    "x = {f}(x, e, e + 1, 3)",
    "x = {f}(e, 2)",
    "x = {f}(e, 2, x0)",
    "d[0] = {f}(d[0], e)\n    x = d[0]",
    "d[0] = {f}(e + 1, d[0])\n    x = d[0]",
    "d[0] = {f}(d[1] + e - 1, d[2] - e + 1)\n    x = d[0]",
    "x = {f}(x, e) + {f}(e, 1)",
    "x += {f}(e, 1)",
    "x = [{f}(i, e) for i in range(3)]",
    "x = f({f}(e, x0))",
]


@pytest.mark.parametrize(("shape", "name"), list(itertools.product(SHAPES, ["min", "max"])))
def test_same_values(shape: str, name: str) -> None:
    new = same(
        "min_max_conditional",
        "def f(v):\n    return v\n\n"
        f"def g(x0, e):\n    d = [x0, 1, 2]\n    x = x0\n    {shape.format(f=name)}\n    return x\n\n"
        f"values = {VALUES}\nprint([repr(g(a, b)) for a in values for b in values])\n",
    )
    assert f"{name}(" not in new


def test_whole_numbers_are_compared_in_the_usual_order() -> None:
    source = "a = 9\nb = 2.5\nfor i in range(9):\n    a = min(i % 3, a)\n    b = max(i, b)\nprint(a, b)\n"
    new = same("min_max_conditional", source)
    assert "    candidate = i % 3\n    if candidate < a:\n" in new
    assert "    if not b > i:\n" in new


@pytest.mark.parametrize(
    "source",
    [
        "print(min(1, 2))\n",
        "for a in [[1]]:\n    print(min(a))\n",
        "for a in [1]:\n    print(min(a, 2, key=abs))\n",
        "for a in [[1]]:\n    print(min(*a, 2))\n",
        "min = max\nfor a in [1]:\n    a = min(a, 2)\n",
        "for a in [1]:\n    print(min(int('3'), a))\n",
        "for a in [1]:\n    print(min((b := a), 2), b)\n",
        "x = 1\ndef f():\n    global x\n    x = 0\n    return 5\nfor i in [1]:\n    x = min(x, f())\n",
        "d = [1]\ndef f():\n    d[0] = 0\n    return 5\nfor i in [1]:\n    d[0] = min(d[0], f())\n",
        "for d in [[3, 1]]:\n    d[d.pop()] = min(d[d.pop()], 2)\n",
        "class A:\n    def __getitem__(self, i):\n        print(i)\na = A()\nfor i in [1]:\n    a[i] = min(a[i], -i)\n",
        "from somewhere import *\nfor i in [1]:\n    i = min(i, 2)\n",
        "for i in [1]:\n    x = min(i,\n            2)\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("min_max_conditional", source) is None


def test_hot_lines_only() -> None:
    source = "x = 0\nfor i in range(3):\n    x = max(x, i)\n    x = min(x, 9)\nprint(x)\n"
    new = rewritten("min_max_conditional", source, 4)
    assert new is not None
    assert "max(x, i)" in new
    assert "min(" not in new
    assert output(new) == output(source)
