"""The rules of a page or less: what they make of a line, and what they refuse."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

HEAD = "import sys\nn = int(sys.stdin.readline())\nxs = [3, 0, n]\nhalf = n / 2\n"


@pytest.mark.parametrize(
    ("rule", "line", "expected"),
    [
        ("needless_conversion", "print(int(x % 10) * 2)", "print(x % 10 * 2)"),
        ("needless_conversion", "print(-int(x + 1), str(str(x)))", "print(-(x + 1), str(x))"),
        ("needless_conversion", "print(int(x - 1).bit_length())", "print((x - 1).bit_length())"),
        ("square", "print(2 ** x ** 2, 9 // (1 + x ** 2))", "print(2 ** (x * x), 9 // (1 + x * x))"),
        ("square", "print(not (x - 1) ** 2, -x ** 2)", "print(not (x - 1) * (x - 1), -(x * x))"),
        (
            "length_truth",
            "print(1 if not len(xs) or len(xs) >= 1 and x else 2)",
            "print(1 if not xs or xs and x else 2)",
        ),
        ("length_truth", "print(1 if len(xs) == 0 else 2)", "print(1 if not xs else 2)"),
        ("repeated_list", "print([0 for _ in range(x + 1)] + xs)", "print([0] * (x + 1) + xs)"),
        ("repeated_list", "print([None for i in range(x)][:2])", "print(([None] * x)[:2])"),
    ],
)
def test_lines(rule: str, line: str, expected: str) -> None:
    assert same(rule, f"{HEAD}for x in xs:\n    {line}\n", "4\n", "-2\n").endswith(f"    {expected}\n")


@pytest.mark.parametrize(
    ("rule", "line"),
    [
        ("needless_conversion", "print(int(x > 1), int(half), float(x), str(x))"),
        ("needless_conversion", "print(int(x, 10) if x is None else 0)"),
        ("needless_conversion", "print(f'{int(x)}')"),
        ("square", "print(half ** 2, x ** 3, x ** n, sum(xs) ** 2)"),
        ("length_truth", "print(len(xs) == 1, len(xs) > 0)"),
        ("length_truth", "print(1 if len(xs) > 1 else 2)"),
        ("length_truth", "print(1 if len(range(x)) else 2)"),
        ("repeated_list", "print([[] for _ in range(x)], [0 for _ in xs], [i for i in range(x)])"),
        ("repeated_list", "print([0 for _ in range(1, x)], [0 for i in range(x) if i])"),
    ],
)
def test_refused_lines(rule: str, line: str) -> None:
    assert rewritten(rule, f"{HEAD}for x in xs:\n    {line}\n") is None


def test_a_class_that_is_measured_keeps_its_own_truth() -> None:
    box = "class Box:\n    def __len__(self):\n        return 1\n    def __bool__(self):\n        return False\n"
    assert rewritten("length_truth", f"{box}box = Box()\nwhile len(box) > 0:\n    print(1)\n    break\n") is None


@pytest.mark.parametrize(
    ("wrapper", "use", "expected"),
    [
        ("get = lambda: sys.stdin.readline().rstrip()", "int(get()), get().split()", "int(get()), get().split()"),
        (
            "get = lambda: sys.stdin.readline().rstrip('\\n')",
            "get(), get().rstrip()",
            "get().rstrip('\\n'), get().rstrip()",
        ),
        (
            "def get(): return sys.stdin.readline().strip()",
            "get().rstrip(), get()",
            "get().strip().rstrip(), get().strip()",
        ),
    ],
)
def test_wrappers_of_readline(wrapper: str, use: str, expected: str) -> None:
    program = f"import sys\n{wrapper}\nfor _ in range(2):\n    print({use})\n"
    new = same("readline_wrapper", program, "1\n 2 3 \n4\n5\n", "1\n2")
    assert new == f"import sys\nget = sys.stdin.readline\nfor _ in range(2):\n    print({expected})\n"


@pytest.mark.parametrize(
    "wrapper",
    [
        "get = lambda: sys.stdin.readline()[:-1]",
        "get = lambda: sys.stdin.readline().rstrip('x')",
        "get = lambda k=0: sys.stdin.readline().rstrip()",
        "get = lambda: sys.stdin.readline().rstrip()\nprint(get)",
        "get = lambda: sys.stdin.readline().rstrip()\nsys.stdin = open('/dev/null')",
        "get = lambda: sys.stdin.readline().rstrip()\nif len(sys.argv) > 9: get = input",
        "@staticmethod\ndef get(): return sys.stdin.readline().rstrip()",
    ],
)
def test_refused_wrappers(wrapper: str) -> None:
    assert rewritten("readline_wrapper", f"import sys\n{wrapper}\nfor _ in range(2):\n    print(int(get()))\n") is None


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
