"""inline_function and keys_membership: what is taken, what is refused, and that it prints the same."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

COMPARE = "xs = [3, 1, 2]\nfor w in [2, 9]:\n    print({})\n"
INLINE = "def f(a, b):\n    return {}\nfor i in range(3):\n    print(f({}))\n"


@pytest.mark.parametrize(
    ("body", "arguments", "expected"),
    [
        ("a + b", "i, 2", "print(i + 2)"),
        ("a * b", "i + 1, -i", "print((i + 1) * (-i))"),
        ("b - a", "i, 2", "print(2 - i)"),
        ("b - a", "i * 2, i * 3", None),
        ("a + a * b", "i * 2, 1", None),
        ("a if a > b else b", "i, 1", "print(i if i > 1 else 1)"),
        ("a and b", "i, 1 // i", None),
        ("print(a, b)", "i, 2", None),
        ("[a, b]", "i, 2", None),
        ("f(a, b) if a < 0 else b", "i, 2", None),
        ("a + b", "i", None),
        ("a + b", "b=1, a=i", None),
        ("a + b", "*[i, 1]", None),
        ("a + b", "print(), 1", None),
    ],
)
def test_expressions_for_calls(body: str, arguments: str, expected: str | None) -> None:
    source = INLINE.format(body, arguments)
    if expected is None:
        assert rewritten("inline_function", source) is None
    else:
        assert same("inline_function", source) == f"for i in range(3):\n    {expected}\n"


@pytest.mark.parametrize(
    "source",
    [
        "k = 2\ndef f(a):\n    return a + k\ndef g(k):\n    for i in range(3):\n        print(f(i))\ng(7)\n",
        INLINE.format("a + b", "i, 2") + "print(f)\n",
        INLINE.format("a + b", "i, 2") + "f = max\n",
        "class A:\n    def __add__(self, other):\n        return 1\n" + INLINE.format("a + b", "i, 2"),
        "def f(a, b=1):\n    return a + b\nfor i in range(3):\n    print(f(i, 1))\n",
        "from functools import cache\n@cache\n" + INLINE.format("a + b", "i, 2"),
    ],
)
def test_functions_that_stay(source: str) -> None:
    assert rewritten("inline_function", source) is None


@pytest.mark.parametrize(
    ("rule", "expression", "expected"),
    [
        ("keys_membership", "w in list({2: 1})", None),
        ("keys_membership", "w in list(range(w))", "w in range(w)"),
        ("keys_membership", "2.0 in list(range(w))", None),
        ("keys_membership", "w in list(xs)", None),
    ],
)
def test_containers_asked_in_a_loop(rule: str, expression: str, expected: str | None) -> None:
    source = COMPARE.format(expression)
    if expected is None:
        assert rewritten(rule, source) is None
    else:
        assert expected in same(rule, source)


def test_branches_in_place_of_a_call() -> None:
    body = "    if a > b:\n        return a\n    elif a == 2:\n        return math.inf\n    return -b\n"
    function = f"import math\ndef f(a, b):\n{body}"
    new = same("inline_function", function + "for i in range(5):\n    print(1 + f(i, 3))\n")
    assert "    print(1 + (i if i > 3 else math.inf if i == 2 else -3))\n" in new
    assert (
        rewritten("inline_function", function + "for i in range(5):\n    print(f(i + 1, 3))\n") is None
    )  # once or twice
    shadowed = "def g(math):\n    for i in range(5):\n        print(f(i, 3), math)\ng(1)\n"
    assert rewritten("inline_function", function + shadowed) is None
