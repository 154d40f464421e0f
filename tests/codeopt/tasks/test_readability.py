"""The readability measures, as tables of programs."""

from __future__ import annotations

import ast
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.core import ruff
from codeopt.tasks._readability_measures import complexity, is_meaningful, measure, names

MEANINGFUL = [
    "total",
    "max_power",
    "userInput",
    "HTTPServer",
    "ans",
    "cand",
    "result2",
    "_private_cache",
    "parse",
    "Größe",
    "数量",
    "score_x",
    "main",
    "fly",
]
MEANINGLESS = ["x", "dp", "cnt", "tmp", "tmp2", "aaa", "foo", "ab", "a1", "i2", "_", "x_y", "T", "lst", "hoge", "xyz"]


@pytest.mark.parametrize("name", MEANINGFUL)
def test_meaningful(name: str) -> None:
    assert is_meaningful(name)


@pytest.mark.parametrize("name", MEANINGLESS)
def test_meaningless(name: str) -> None:
    assert not is_meaningful(name)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1", ["x"]),
        ("a, (b, *rest) = f()", ["a", "b", "rest"]),
        ("def area(width, /, height, *args, scale=1, **kw): pass", ["area", "args", "height", "kw", "scale", "width"]),
        ("class Shape:\n    def grow(self, by): self.size = by", ["Shape", "by", "grow"]),
        ("for i in range(3): print(i)", []),
        ("sums = [x + y for x in a for y in b]", ["sums"]),
        ("for word in words: pass", ["word"]),
        ("for i in range(3): i = 5", ["i"]),
        ("i = 0\nfor i in range(3): pass", ["i"]),
        ("for t in range(3): pass", ["t"]),
        ("import numpy as np", []),
        ("try: pass\nexcept ValueError as error: pass", ["error"]),
        ("with open(p) as file: pass", ["file"]),
        ("if (found := f()): pass", ["found"]),
        ("key = lambda pair: pair[0]", ["key", "pair"]),
        ("__all__ = []\n_ = 3", []),
        ("match v:\n    case [head, *tail]: pass\n    case whole: pass", ["head", "tail", "whole"]),
    ],
)
def test_names_that_count(source: str, expected: list[str]) -> None:
    assert sorted(name.text for name in names(ast.parse(source))) == expected


def test_a_name_stands_at_its_first_line() -> None:
    found = measure("total = 0\nx = 1\ntotal = 2\nx = 3\n")
    assert [(name.text, name.line) for name in found.names] == [("total", 1), ("x", 2)]
    assert [name.text for name in found.meaningless] == ["x"]
    assert found.meaningful_share == 0.5


@pytest.mark.parametrize(
    ("source", "comments", "docstrings", "lines", "functions"),
    [
        ("", 0, 0, 0, 0),
        ("# one\n\nx = 1  # two\n", 2, 0, 2, 0),
        ("x = '# not a comment'\n", 0, 0, 1, 0),
        ('"""About\nthis."""\n\n\ndef f():\n    """Does."""\n', 0, 3, 4, 1),
        ("async def f():\n    def g(): pass\nh = lambda: 1\n", 0, 0, 3, 2),
        ("class A:\n    def b(self): pass\n", 0, 0, 2, 1),
    ],
)
def test_counts(source: str, comments: int, docstrings: int, lines: int, functions: int) -> None:
    found = measure(source)
    assert (found.comments, found.docstring_lines, found.code_lines, found.functions) == (
        comments,
        docstrings,
        lines,
        functions,
    )
    assert found.comment_share == comments / max(1, lines)


@pytest.mark.parametrize(
    ("body", "branches"),
    [
        ("pass", 1),
        ("if a: pass", 2),
        ("if a and b or c: pass", 4),
        ("if a: pass\n    elif b: pass\n    else: pass", 3),
        ("for x in a:\n        while b: pass", 3),
        ("return [x for x in a if x if not x]", 4),
        ("return 1 if a else 2", 2),
        ("try: pass\n    except A: pass\n    except B: pass", 3),
        ("def g():\n        if a: pass", 1),
    ],
)
def test_complexity_of_a_function(body: str, branches: int) -> None:
    found = {each.name: each.branches for each in complexity(ast.parse(f"def f():\n    {body}\n"))}
    assert found["f"] == branches
    assert found["<module>"] == 1


def test_complexity_of_the_modules_own_code() -> None:
    found = complexity(ast.parse("if a:\n    pass\ndef f():\n    if a: pass\n    if b: pass\n"))
    assert [(each.name, each.line, each.branches) for each in found] == [("f", 3, 3), ("<module>", 1, 2)]


def test_findings_by_line() -> None:
    found = measure("import os\nif x == None: y = 1\nl = 2\n")
    assert found.findings is not None
    assert {(finding.line, finding.code) for finding in found.findings} >= {(1, "F401"), (2, "E711"), (3, "E741")}


def test_without_ruff_there_are_no_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nonexistent/python")
    assert ruff.lint("x = 1\n") is None


@pytest.mark.parametrize("source", ["def", "x = (", "\0", "(" * 5000])
def test_what_is_not_a_program_is_a_syntax_error(source: str) -> None:
    with pytest.raises(SyntaxError):
        measure(source)


@given(st.text(max_size=30))
def test_any_name_can_be_judged(name: str) -> None:
    assert is_meaningful(name) in (True, False)
