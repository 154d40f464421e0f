"""stdin_readline: the same lines, cut where the line end would be seen; refused where the end of input matters."""

from __future__ import annotations

import functools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same

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
def test_refused(source: str) -> None:
    assert rewritten("stdin_readline", source) is None
