"""stdout_write: the same text, and nothing where print() does more."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codeopt.rules.programs import output, rewritten, same


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
def test_refused(source: str) -> None:
    assert rewritten("stdout_write", source) is None
