"""eval_input: numbers stay numbers, anything else is left alone."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("n = int(eval(input()))\n", "n = int(input())\n"),
        ("n = float(eval(input()))\n", "n = float(input())\n"),
        ("n = eval(input())\n", "n = int(input())\n"),
        ("eval(input())\n", "input()\n"),
        ("import sys\nn = eval(sys.stdin.readline()) + 1\n", "import sys\nn = int(sys.stdin.readline()) + 1\n"),
        (
            "a = list(map(int, [eval(input()) for _ in range(2)]))\n",
            "a = list(map(int, [int(input()) for _ in range(2)]))\n",
        ),
    ],
)
def test_rewritten(before: str, after: str) -> None:
    assert same("eval_input", before, "12\n-3\n") == after


@pytest.mark.parametrize(
    "source",
    [
        "a, b = eval(input())\n",
        "for x in eval(input()):\n    print(x)\n",
        "print(eval('1 + 1'))\n",
        "eval = int\nn = eval(input())\n",
        "n = str(eval(input()))\n",
        "int = float\nn = eval(input())\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("eval_input", source) is None
