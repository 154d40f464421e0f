"""main_function: what moves, what stays, what is refused, and that it prints the same."""

from __future__ import annotations

import pytest

from tests.codeopt.rules.programs import rewritten, same

LOOP = "for i in range(3):\n    print(i)\n"


def test_functions_stay_outside_unless_they_need_moved_names() -> None:
    new = same(
        "main_function",
        "def square(x):\n    return x * x\n\nmod = 7\n\ndef less(x):\n    return x % mod\n\n"
        "for i in range(9):\n    print(less(square(i)))\n",
    )
    assert new.startswith("def square(x):\n    return x * x\n\n\ndef main():\n    mod = 7\n\n    def less(x):\n")


def test_functions_that_call_moved_functions_move_too() -> None:
    new = same(
        "main_function",
        "def f(n):\n    return g(n) + 1\ndef g(n):\n    return n * k\nk = 3\nfor i in range(4): print(f(i))\n",
    )
    assert new.startswith("def main():\n    def f(n):")


def test_global_becomes_nonlocal() -> None:
    new = same("main_function", "c = 0\ndef f(x):\n    global c\n    c += x\nfor i in range(5):\n    f(i)\nprint(c)\n")
    assert "nonlocal c" in new


def test_global_that_no_moved_code_binds_stays_global() -> None:
    new = same("main_function", "def f(x):\n    global c\n    c = x\nfor i in range(5):\n    f(i)\nprint(c)\n", "")
    assert "global c" in new


def test_strings_over_several_lines_are_not_indented() -> None:
    new = same("main_function", 's = """a\nb\n  c"""\nt = f"""{s}\nx"""\nfor c in s + t:\n    print(repr(c))\n')
    assert '\nb\n  c"""' in new


def test_guard_alone_becomes_main() -> None:
    inside = LOOP.replace("\n", "\n    ").rstrip()
    new = same("main_function", f"x = 5\nif __name__ == '__main__':\n    {inside}\n")
    assert new.startswith("def main():\n    x = 5\n    if __name__ == '__main__':")
    new = same("main_function", "import sys\nif __name__ == '__main__':\n    for i in range(3):\n        print(i)\n")
    assert new == (
        "import sys\ndef main():\n    for i in range(3):\n        print(i)\n"
        "\n\nif __name__ == '__main__':\n    main()\n"
    )


def test_builtin_bound_before_it_is_read() -> None:
    same(
        "main_function",
        "import sys\ninput = sys.stdin.readline\nfor i in range(int(input())):\n    print(input())\n",
        "2\na\nb\n",
    )
    same("main_function", "max = 0\nfor i in [3, 1]:\n    if i > max: max = i\nprint(max)\n")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("max = max([1, 2])\nfor i in range(3):\n    print(max + i)\n", "max_ = max([1, 2])\n"),
        ("sum = sum([1])\nsum += 2\nfor i in range(3): sum -= i\nprint(sum)\n", "sum_ += 2\n"),
        ("a = [3]\nmin = min(a)\ndef f(x):\n    return x + min\nfor i in a: print(f(i))\n", "return x + min_\n"),
        ("len = len('ab')\nlen_ = 1\nfor i in range(len): print(f'{len_}', len)\n", "len__2 = len('ab')\n"),
    ],
)
def test_builtin_bound_from_itself_gets_another_name(source: str, expected: str) -> None:
    assert expected in same("main_function", source)


def test_deleted_names_and_plain_classes_move() -> None:
    assert "    del x\n" in same("main_function", "x = 1\ndel x\n" + LOOP)
    new = same(
        "main_function",
        "k = 2\nclass A:\n    n = 3\n    def f(self):\n        return k + self.n\nprint(isinstance(A(), A), A.n)\n"
        "for i in range(3):\n    print(A().f())\n",
    )
    assert new.startswith("def main():\n    k = 2\n    class A:\n        n = 3\n")


def test_star_imports_bring_known_names() -> None:
    same("main_function", "from heapq import *\nfrom collections import *\nx = 3\nq = deque()\n" + LOOP)
    assert rewritten("main_function", "from math import *\nprint(pi)\npi = 3\nx = 2\n" + LOOP) is None


@pytest.mark.parametrize(
    "source",
    [
        "print(1)\n",
        "def f():\n    for i in range(3): pass\nf()\n",
        "late = (max(x, 2) for x in [1])\nmax = max([1, 2])\nprint(*late)\n" + LOOP,
        "f = lambda: max(1, 2)\nmax = max([1, 2])\n" + LOOP,
        "for i in range(3):\n    max = max([1, i])\n    break\n",
        "def f():\n    global sum\n    sum = 1\nsum = sum([1])\nf()\nprint(sum)\n" + LOOP,
        "if len([]):\n    sum = 3\nprint(sum([1]))\n" + LOOP,
        "def f():\n    return max(1, 2)\nprint(f())\nmax = 3\n" + LOOP,
        "max = max([1])\nprint(f'''\n{max}''')\n" + LOOP,
        "x = 1\nfrom math import *\n" + LOOP,
        "sum = 1\ndel sum\nprint(sum([1]))\n" + LOOP,
        "k = 2\nclass A:\n    x = k\n" + LOOP,
        "k = 2\nclass A:\n    def f(self):\n        return k\nprint(A)\n" + LOOP,
        "k = 2\nclass A:\n    def f(self):\n        return k\nprint(type(A()))\n" + LOOP,
        "k = 2\nclass A:\n    def f(self):\n        return k\nprint(A.__name__)\n" + LOOP,
        "k = 2\nclass A(Exception):\n    def f(self):\n        return k\n" + LOOP,
        "import multiprocessing\n" + LOOP,
        "from numba import njit\nk = 3\n@njit\ndef f(x):\n    return x * k\n" + LOOP,
        "k = 3\ndef deco(f):\n    return f\n@deco\ndef f(x):\n    return x * k\n" + LOOP,
        "x = y = 1\ndef f():\n    global x, z\n    x = z = 2\n" + LOOP,
        "x = 1\ndef f():\n    x = 2\n    def g():\n        global x\n        x = 3\n    g()\n" + LOOP,
        "import sys\nsys._getframe()\n" + LOOP,
        "for i in range(3):\n    class B:\n        pass\n    print(B)\n",
        "k = 3\ndef f(x):\n    return x * k\ntry:\n    f()\nexcept TypeError as error:\n    print(error)\n" + LOOP,
        "from math import e\ndef f():\n    return e\nfor i in range(3):\n    print(e)\n    e = i\n",
    ],
)
def test_refused(source: str) -> None:
    assert rewritten("main_function", source) is None


def test_only_when_module_level_loops_are_hot() -> None:
    source = "def f():\n    for i in range(3): pass\n\nf()\n" + LOOP
    assert rewritten("main_function", source, 2) is None
    assert rewritten("main_function", source, 6) is not None
