"""A draft is put back: the function and what it newly needs change, not one character more."""

from __future__ import annotations

import difflib

import pytest

from codeopt.workloads.source.functions import SpliceError
from codeopt.workloads.source.splice import splice

MODULE = '''\
# header
"""doc"""
from __future__ import annotations
import os

# about K
K = 3   # odd   spacing


class A:
    x=1
    # before m
    @staticmethod
    def m(a,  b = 2):
        """Old doc."""
        return [y for y in a if y in [1,2]]
        # footer

    def n(self): pass


def tail( ): return  1
'''


def changed(new: str) -> tuple[list[str], list[str]]:
    """Lines gone and lines added."""
    diff = list(difflib.ndiff(MODULE.splitlines(), new.splitlines()))
    return [line[2:] for line in diff if line[0] == "-"], [line[2:] for line in diff if line[0] == "+"]


def test_the_same_function_changes_nothing() -> None:
    assert splice(MODULE, "A.m", MODULE) == MODULE
    assert splice(MODULE, "tail", "def tail( ): return  1") == MODULE


def test_a_function_with_helpers_and_imports() -> None:
    draft = """\
import functools
from collections import deque, OrderedDict
_S = frozenset([1, 2])

def _helper(a):
    return [y for y in a if y in _S]

def m(a, b=2):
    return list(deque(_helper(a)))

print(m([1]))
"""
    gone, added = changed(splice(MODULE, "A.m", draft))
    assert gone == ["        return [y for y in a if y in [1,2]]"]
    assert [line for line in added if line] == [
        "from collections import deque",
        "_S = frozenset([1, 2])",
        "def _helper(a):",
        "    return [y for y in a if y in _S]",
        "        return list(deque(_helper(a)))",
    ]


def test_a_whole_module_is_cut_back_to_the_function() -> None:
    draft = (
        MODULE.replace("K = 3", "K = 4").replace("return [y for", "return [y+0 for").replace("return  1", "return 2")
    )
    gone, added = changed(splice(MODULE, "A.m", draft))
    assert gone == ["        return [y for y in a if y in [1,2]]"]
    assert added == ["        return [y+0 for y in a if y in [1,2]]"]


def test_a_new_method_that_is_used_comes_along() -> None:
    draft = (
        "class A:\n    def _new(self): return 1\n    def _unused(self): return 1\n    def n(self): return self._new()\n"
    )
    new = splice(MODULE, "A.n", draft)
    assert "def _new(self): return 1" in new
    assert "_unused" not in new


def test_indentation_follows_the_module() -> None:
    assert splice(MODULE, "tail", "def tail():\n  if 1:\n    return 2\n  return 1\n").endswith(
        "def tail( ):\n    if 1:\n        return 2\n    return 1\n"
    )


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        ("def m(a): pass", "changes the parameters"),
        ("def m(a, b=3): pass", "changes the parameters"),
        ("async def m(a, b=2): pass", "must stay a plain function"),
        ("def q(): pass", "does not define A.m"),
        ("def m(:", "line 1"),
        ("@classmethod\ndef m(a, b=2): pass", "what kind of method"),
        ("from os import *\ndef m(a, b=2): return a", r"imports \*"),
    ],
)
def test_what_cannot_be_put_back(draft: str, words: str) -> None:
    with pytest.raises(SpliceError, match=words):
        splice(MODULE, "A.m", draft)


def test_an_overload_keeps_its_signatures() -> None:
    module = "from typing import overload\n@overload\ndef f(a: int) -> int: ...\ndef f(a):\n    return a\n"
    assert splice(module, "f", "def f(a):\n    return +a\n") == module.replace("return a", "return +a")


def test_a_property_keeps_its_setter() -> None:
    head, tail = (
        "class C:\n    @property\n    def x(self):\n",
        "\n    @x.setter\n    def x(self, v):\n        self.v = v\n",
    )
    new = splice(head + "        return 1\n" + tail, "C.x", "@property\ndef x(self):\n    return 2\n")
    assert new == head + "        return 2\n" + tail


def test_line_ends_of_windows_stay() -> None:
    module = "def f(a):\r\n    return a\r\n\r\n\r\nK = 1\r\n"
    assert splice(module, "f", "def f(a):\n    b = a\n    return b\n") == (
        "def f(a):\r\n    b = a\r\n    return b\r\n\r\n\r\nK = 1\r\n"
    )


HELPED = """\
def double(x):
    \"\"\"Doubles.\"\"\"
    return x + x


def other(x):
    return double(x)


def f(x):
    return double(x)
"""


def test_a_helper_that_the_draft_changes_is_its_own() -> None:
    """The module's stays as it is for its other callers."""
    draft = "# faster\ndef double(x):\n    return x * 2\n\ndef f(x):\n    return double(x) + g(double=x).double\n"
    new = splice(HELPED, "f", draft)
    assert HELPED[: HELPED.index("def f")].strip() in new
    assert "# faster\ndef _double_of_f(x):\n    return x * 2\n" in new
    assert "return _double_of_f(x) + g(double=x).double" in new


@pytest.mark.parametrize("helper", ['def double(x):\n    """Other words."""\n    return x + x', "def double(x): ..."])
def test_a_helper_that_is_repeated_or_only_named_stays(helper: str) -> None:
    new = splice(HELPED, "f", f"{helper}\n\ndef f(x):\n    return 1 * double(x)\n")
    assert new == HELPED.replace("def f(x):\n    return double(x)", "def f(x):\n    return 1 * double(x)")
