"""The rules of a page or less: what they make of a line, and what they refuse."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

HEAD = "import sys\nn = int(sys.stdin.readline())\nxs = [3, 0, n]\nhalf = n / 2\n"


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("repeated_list", "print([0 for _ in range(x + 1)] + xs)", "print([0] * (x + 1) + xs)"),
        ("repeated_list", "print([None for i in range(x)][:2])", "print(([None] * x)[:2])"),
    ],
)
def test_lines(rule: str, line: str, expected: str) -> None:
    assert same(rule, f"{HEAD}for x in xs:\n    {line}\n", "4\n", "-2\n").endswith(f"    {expected}\n")


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("repeated_list", "print([[] for _ in range(x)], [0 for _ in xs], [i for i in range(x)])"),
        ("repeated_list", "print([0 for _ in range(1, x)], [0 for i in range(x) if i])"),
    ],
)
def test_refused_lines(rule: str, line: str) -> None:
    assert rewritten(rule, f"{HEAD}for x in xs:\n    {line}\n") is None


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


def test_index_and_element() -> None:
    loop = "s = input()\nfor i in range(len(s)):\n    if s[i] == 'a' and i % 2:\n        print(i)\n"
    assert "for i, value in enumerate(s):\n    if value == 'a' and i % 2:" in same(
        "index_to_element", loop + "print(i)\n", "bab\n", "a\n"
    )
    for odd in ("        i = 1\n", "        s = ''\n", "        f = lambda: s[i]\n        print(f())\n"):
        assert rewritten("index_to_element", loop + odd) is None
    assert rewritten("index_to_element", "enumerate = list\n" + loop) is None
