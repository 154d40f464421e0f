"""Kinds and sizes of values in words, and never a value of theirs."""

from __future__ import annotations

from typing import Any

import pytest

from codeopt_sandbox.guest.calls.repr.source import shape_of


class Node:
    __slots__ = ("key", "next")

    def __init__(self, key: int) -> None:
        self.key = key
        self.next = None


class Tree:
    def __init__(self) -> None:
        self.nodes = [Node(12345), Node(7)]

    @property
    def never_asked(self) -> int:
        raise AssertionError


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([None], "None"),
        ([True, False], "bool"),
        ([4], "int 4"),
        ([123456], "int up to 6 digits"),
        ([-12, 4], "int up to 2 digits, negative ones too"),
        ([1.5, float("nan")], "float, some nan or infinite"),
        (["secret", "word"], "str of 4 to 6 characters"),
        (["a\nb\nc"], "str of 5 characters in 3 lines"),
        (["größe"], "str of 5 characters, not only ASCII"),
        ([list(range(1000))], "list of 1,000 int up to 3 digits, 1,000 distinct, sorted"),
        ([[3, 2, 1]], "list of 3 int up to 1 digit, 3 distinct, sorted downwards"),
        ([[(1, "ab"), (2, "c")]], "list of 2 tuple (int up to 1 digit, str of 1 to 2 characters), 2 distinct, sorted"),
        ([[], [1, "x"]], "list of 0 to 2 int 1 or str of 1 character"),
        ([{"a": [1.0]}], "dict of 1: str of 1 character -> list of 1 float"),
        ([iter([1])], "iterator (list_iterator)"),
        ([1, "a", "b"], "str of 1 character or int 1"),
        ([len, int], "builtin_function_or_method or class"),
        ([Tree()], "Tree (nodes: list of 2 Node (key: int up to 5 digits, next: None))"),
        ([], "nothing"),
    ],
)
def test_kinds_and_sizes(values: list[Any], said: str) -> None:
    assert shape_of(values) == said


def test_what_is_nested_in_itself_comes_to_an_end() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert shape_of([endless]).startswith("list of 1 list of 1")


def test_a_long_list_is_looked_at_in_part() -> None:
    assert shape_of([[0] * 3_000_000]).startswith("list of 3,000,000 int 0")
