"""Which function a target means, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeopt.core.errors import UsageError
from codeopt.workloads.source.functions import read_function

MODULE = '''\
import functools
from abc import abstractmethod
from typing import overload

def plain(a, b=2):
    """Doc."""
    return a + b

async def later(a):
    return a

def items(n):
    yield from range(n)

@functools.lru_cache
def cached(n):
    return n

class Box:
    limit = 3

    def total(self, k):
        return k

    @staticmethod
    def static(a):
        return a

    @classmethod
    def made(cls, a):
        return cls()

    @property
    def size(self):
        return 1

    @size.setter
    def size(self, value):
        self.value = value

    class Inner:
        def deep(self):
            return 1

    @abstractmethod
    def todo(self):
        raise NotImplementedError

@overload
def many(a: int) -> int: ...
@overload
def many(a: str) -> str: ...
def many(a):
    return a

@overload
def only(a: int) -> int: ...

def stub(a): ...

def outer():
    def inner():
        return 1
    return inner

if True:
    def conditional(a):
        return a

class Kid(Box):
    @Box.size.setter
    def size(self, value):
        self.other = value
'''


@pytest.fixture
def module(tmp_path: Path) -> Path:
    """The file."""
    path = tmp_path / "mod.py"
    path.write_text(MODULE)
    return path


@pytest.mark.parametrize(
    ("name", "kind", "first", "body", "last"),
    [
        ("plain", "function", 5, 7, 7),
        ("later", "function", 9, 10, 10),
        ("items", "function", 12, 13, 13),
        ("cached", "function", 15, 17, 17),
        ("Box.total", "method", 22, 23, 23),
        ("Box.static", "staticmethod", 25, 27, 27),
        ("Box.made", "classmethod", 29, 31, 31),
        ("Box.size", "property", 33, 35, 35),
        ("Box.Inner.deep", "method", 42, 43, 43),
        ("many", "function", 53, 54, 54),
        ("conditional", "function", 67, 68, 68),
    ],
)
def test_what_is_meant(module: Path, name: str, kind: str, first: int, body: int, last: int) -> None:
    found = read_function(module, name)
    assert (found.kind, found.first_line, found.body_line, found.last_line) == (kind, first, body, last)
    assert found.text.rstrip() == "\n".join(MODULE.split("\n")[first - 1 : last])


def test_kinds_of_functions(module: Path) -> None:
    assert read_function(module, "later").asynchronous
    assert read_function(module, "items").generator
    assert [read_function(module, name).parameters for name in ("plain", "Box.made")] == [("a", "b"), ("a",)]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("nothing", "has no function nothing"),
        ("plian", "did you mean plain"),
        ("total", "did you mean Box.total"),
        ("Box", "name one of its methods"),
        ("Kid.size", "is a property's setter"),
        ("Box.todo", "an abstract method"),
        ("only", "only @overload signatures"),
        ("stub", "a stub"),
        ("outer.inner", "inside another function"),
    ],
)
def test_what_is_refused(module: Path, name: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_function(module, name)


def test_a_stub_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mod.pyi"
    path.write_text("def f(a: int) -> int: return 1\n")
    with pytest.raises(UsageError, match="stub file"):
        read_function(path, "f")
