"""eval_input, stdin_readline and stdout_write: what is read and printed stays the same."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same


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


# stdin_readline: the same lines, cut where the line end would be seen; refused where the end of input matters.


once = functools.cache(rewritten)
"""For the many inputs of one program."""

USES = [
    "s = input()",
    "s = input().split()",
    "s = input().split(',')",
    "s = input().strip()",
    "s = input().rstrip('x')",
    "s = list(input())",
    "s = [c for c in input()]",
    "s = len(input())",
    "s = input()[-1:]",
    "s = [input(), input()]",
    "input(); s = 0",
    "s = input().upper().split()",
    "s = list(map(str, input()))",
    "s = input().strip() + input()",
]


@pytest.mark.parametrize("use", USES)
@settings(deadline=None)  # machines are busy
@given(lines=st.lists(st.text(alphabet="ab ,x\t1é", max_size=6), min_size=6, max_size=6))
def test_lines_are_the_same(use: str, lines: list[str]) -> None:
    source = f"for _ in range(3):\n    {use}\n    print(repr(s))\n"
    new = once("stdin_readline", source)
    assert new is not None
    for end in ("\n", ""):
        stdin = "\n".join(lines) + end
        assert output(new, stdin) == output(source, stdin) or "EOFError" in output(source, stdin)


def test_numbers_need_no_cut() -> None:
    new = same(
        "stdin_readline", "import sys\nfor _ in range(2):\n    print(int(input()) + float(input()))\n", "1\n2\n3\n4\n"
    )
    assert "rstrip" not in new
    assert new.startswith("import sys\n\ninput = sys.stdin.readline\n\nfor")


def test_sys_may_be_a_name_of_the_program() -> None:
    same("stdin_readline", "sys = 3\nfor _ in range(sys):\n    print(input())\n", "a\nb\nc\n")


def test_docstring_stays_first() -> None:
    new = same("stdin_readline", '"""Doc."""\ndef f():\n    return input()\nprint(f(), f())\n', "a\nb\n")
    assert new.startswith('"""Doc."""\nimport sys\n')


@pytest.mark.parametrize(
    "source",
    [
        "n = int(input())\nprint(n)\n",
        "def main():\n    n = int(input())\nmain()\n",
        "for c in input():\n    print(c)\n",
        "print([int(x) for x in input().split()])\n",
        "while True:\n    try:\n        print(input())\n    except EOFError:\n        break\n",
        "while True:\n    try:\n        print(int(input()))\n    except:\n        break\n",
        "for _ in range(3):\n    print(input('> '))\n",
        "for s in iter(input, 'end'):\n    print(s)\n",
        "a = list(map(lambda _: input(), range(3)))\nread = input\n",
        "import sys\ninput = sys.stdin.readline\nfor _ in range(3):\n    print(input())\n",
        "import sys, io\nsys.stdin = io.StringIO('1')\nfor _ in range(3):\n    print(input())\n",
        "for _ in range(3):\n    print(input(), flush=True)\n",
        "while True:\n    line = input()\n    if line == 'end': break\n    print(line)\n",
        "import os\nfor _ in range(3):\n    print(input())\nos._exit(0)\n",
        "import os\nfor _ in range(3):\n    print(input())\n    os.system('true')\n",
        "from somewhere import *\nfor _ in range(3):\n    print(input())\n",
    ],
)
def test_input_is_left_alone(source: str) -> None:
    assert rewritten("stdin_readline", source) is None


# stdout_write: the same text, and nothing where print() does more.


@pytest.mark.parametrize(
    "statement",
    [
        "print(i)",
        "print(i, i * 2.5)",
        "print(i, end='')",
        "print(i, i, sep='-', end=';\\n')",
        "print(s)",
        "print(s + 'x', end='')",
        "print(f'{i}')",
        "print('{} '.format(i), end=\"'\")",
        "print(i == 1, i > 2, None)",
        "print(i, end='{}')",
        "print((i + 1))",
        'print(s, end="\\"")',
        "print(i, sep='\\t\\\\', end='\\\\')",
        "print(-1)",
        "print(None, -2.50, True, sep='{')",
        "print('Case {}', i, 'it\\'s \"', end='}')",
        "print('a\\\\n\\t', -0.0)",
    ],
)
def test_same_text(statement: str) -> None:
    source = f"s = 'text'\nfor i in range(3):\n    {statement}\n"
    new = rewritten("stdout_write", source)
    if "==" in statement:
        assert new is None
    else:
        assert "print(" not in same("stdout_write", source)


def test_one_that_is_worth_it_takes_the_others_along() -> None:
    source = "for i in range(3):\n    if i:\n        print(i)\n    else:\n        print('none')\nprint('end')\n"
    new = rewritten("stdout_write", source, 3)
    assert new is not None
    assert "        write('none\\n')\nprint('end')\n" in new
    assert rewritten("stdout_write", source, 6) is None


@settings(deadline=None)  # machines are busy
@given(end=st.text(max_size=4), sep=st.text(max_size=3))
def test_any_constant(end: str, sep: str) -> None:
    source = (
        f"for i in range(3):\n    print(i, 'x', sep={sep!r}, end={end!r})\n    print(i, i, sep={sep!r}, end={end!r})\n"
    )
    new = rewritten("stdout_write", source)
    if new is not None:
        assert output(new) == output(source)


@pytest.mark.parametrize(
    "source",
    [
        "print(1)\n",
        "def f():\n    print(1)\nf()\n",
        "for i in range(3):\n    print([i])\n",
        "for i in range(3):\n    print()\n",
        "for i in range(3):\n    print(*[i])\n",
        "for i in range(3):\n    print(i, flush=True)\n",
        "import sys\nfor i in range(3):\n    print(i, file=sys.stderr)\n",
        "for i in range(3):\n    print(i, end=str(i))\n",
        "for i in range(3):\n    x = print(i)\n",
        "def print(x):\n    pass\nfor i in range(3):\n    print(i)\n",
        "import sys, io\nsys.stdout = io.BytesIO()\nfor i in range(3):\n    print(i)\n",
        "from contextlib import redirect_stdout\nfor i in range(3):\n    print(i)\n",
        "class A:\n    pass\nfor i in range(3):\n    print(A())\n",
    ],
)
def test_print_is_left_alone(source: str) -> None:
    assert rewritten("stdout_write", source) is None
