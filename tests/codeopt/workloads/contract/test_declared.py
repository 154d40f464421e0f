"""Type hints of parameters: no generated call breaks one, and what a known call gives in spite of one is allowed."""

from __future__ import annotations

import importlib
import math
import typing
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Optional, Union

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from codeopt.core.call import Call
from codeopt.workloads.contract.declared import DeclaredTypes, declared_types
from codeopt.workloads.function.shrink import smaller_calls
from codeopt.workloads.function.unusual import (
    long_calls,
    refusals,
    tenfold,
    with_optional_parameters,
    wrong_types,
)
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.larger import deep_calls
from codeopt.workloads.source.functions import Function, read_function
from codeopt.workloads.source.literals import read
from codeopt_sandbox.guest.calls.recipes import deepened

PLAIN = ("int", "float", "str", "bytes", "bool", "None", "Literal[1, 'a']")
WITHIN = (
    "list[{}]", "dict[str, {}]", "tuple[{}, ...]", "tuple[int, {}]", "Sequence[{}]", "Optional[{}]", "Iterable[{}]",
    "Mapping[str, {}]", "Union[int, {}]", "{} | str",
)  # fmt: skip
hints = st.recursive(
    st.sampled_from(PLAIN),
    lambda inner: st.tuples(st.sampled_from(WITHIN), inner).map(lambda two: two[0].format(two[1])),
)
NAMES = {
    "Literal": Literal, "Sequence": Sequence, "Iterable": Iterable, "Mapping": Mapping, "Optional": Optional,
    "Union": Union,
}  # fmt: skip
MADE = {
    "f": lambda *args, **kwargs: [*args, *kwargs.values()], "deepened": deepened,
    "load": lambda module, name: getattr(importlib.import_module(module), name), "inf": math.inf, "nan": math.nan,
}  # fmt: skip


def fits(value: Any, hint: Any) -> bool:
    """Whether a value has the type that an annotation gives, by what `typing` says of it."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is None:
        return isinstance(value, (int, float) if hint is float else hint)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in inner)
    if origin in (Union, type(int | str)):
        return any(fits(value, each) for each in inner)
    if not isinstance(value, origin):
        return False
    if isinstance(value, dict):
        sides = [list(value), list(value.values())][: len(inner)]
        return all(fits(item, each) for side, each in zip(sides, inner, strict=True) for item in side)
    if isinstance(value, str):
        return not value or fits(value[:1], inner[0])
    if origin is tuple and inner[1:] != (...,):
        return len(value) == len(inner) and all(map(fits, value, inner))
    return all(fits(item, inner[0]) for item in value)


def type_of(hint: str) -> Any:
    return eval(hint.replace("None", "type(None)"), NAMES)  # noqa: S307


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Plain values of a type, none of them NaN, whose text cannot be read."""
    return st.from_type(hint).filter(lambda value: "nan" not in repr(value) and "inf" not in repr(value))


def everything_made(function: Function, calls: Sequence[Call]) -> list[Call]:
    """Calls of every generator."""
    made = [*derive(calls, 40, 1), *long_calls(calls, 2, 1), *tenfold(calls, 1), *deep_calls(calls)]
    made += [*with_optional_parameters(function, calls), *wrong_types(calls)]
    return [*made, *(other for call in calls for other in smaller_calls(call))]


@pytest.mark.full
@settings(max_examples=8, phases=(Phase.generate,))
@given(st.data(), hints)
def test_no_generated_call_breaks_a_hint(data: st.DataObject, hint: str) -> None:
    wanted = type_of(hint)
    plain = hint.replace("Iterable", "list").replace("Sequence", "list").replace("Mapping", "dict")
    values = data.draw(st.lists(values_of(type_of(plain)), min_size=1, max_size=3))
    known = [Call((each, 5)) for each in values]
    source = f"def f(x: {hint}, n: int = 3):\n    return x\n"
    function = Function(Path("m.py"), source, source, "f", "function", False, False, 1, 2, 2, ("x", "n"))
    for call in declared_types(function).allowed(everything_made(function, known)):
        given_values = eval(call.text, dict(MADE))  # noqa: S307
        assert fits(given_values[0], wanted), call
        assert fits(given_values[-1], int if len(given_values) > 1 else wanted), call


def declared(tmp_path: Path, text: str) -> DeclaredTypes:
    (tmp_path / "m.py").write_text(text)
    return declared_types(read_function(tmp_path / "m.py", "f"))


HEAD = """\
from typing import NewType, TypedDict
class Row(TypedDict):
    user: str
    size: int
Rows = list[Row]
Weight = NewType("Weight", float)
"""
BROKEN = [
    ("items: list[int], n: int", "f([None], -5491348)"),
    ("items: Rows", "f([{'user': 'a', 'size': None}])"),
    ("items: Rows", "f([{'user': 'a', 'more': 1}])"),
    ("items: 'list[Weight]'", "f(['1'])"),
    ("*items: int", "f(1, 'a')"),
    ("**items: int", "f(a=1, b='a')"),
    ("pair: tuple[int, int]", "f((1,))"),
    ("items: list[list[int]]", "f(deepened(lambda inner: [inner], [[1]], 1200))"),
    ("*, n: int = 0", "f(n=None)"),
]
KEPT = [
    ("items: list[int], n: int", "f([], -5491348)"),
    ("items: Rows", "f([{'user': 'a', 'size': -1}, {}])"),
    ("items: 'list[Weight]'", "f([1, 2.5])"),
    ("n: int = None", "f(None)"),
    ("items: list[int]", "f(unpickle('gASV'))"),
    ("tree: 'Tree'", "f([[[]]])"),
    ("items: list", "f([None])"),
]


@pytest.mark.parametrize(("parameters", "call"), BROKEN)
def test_a_call_that_breaks_a_hint_is_not_allowed(tmp_path: Path, parameters: str, call: str) -> None:
    assert declared(tmp_path, f"{HEAD}\ndef f({parameters}):\n    return 0\n").allowed([read(call)]) == []


@pytest.mark.parametrize(("parameters", "call"), KEPT)
def test_a_call_that_may_be_meant_is_allowed(tmp_path: Path, parameters: str, call: str) -> None:
    found = declared(tmp_path, f"{HEAD}Tree = list['Tree']\n\ndef f({parameters}):\n    return 0\n")
    assert found.allowed([read(call)]) == [read(call)]


def test_a_type_that_a_known_call_gives_in_spite_of_a_hint_is_allowed(tmp_path: Path) -> None:
    found = declared(tmp_path, "def f(items: list[int]):\n    return 0\n").knowing([Call(([1.5, 2],))])
    assert found.allowed([*map(read, ["f([0.5])", "f([None])", "f((1,))"])]) == [read("f([0.5])")]


def test_an_overloaded_function_is_what_has_the_body(tmp_path: Path) -> None:
    text = "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\ndef f(a: str) -> str: ...\n"
    body = "def f(a):\n    if not a:\n        raise ValueError\n    yield a\n"
    (tmp_path / "m.py").write_text(text + body)
    function = read_function(tmp_path / "m.py", "f")
    calls = [read("f(1)"), read("f('a')")]
    assert declared_types(function).allowed(calls) == calls
    assert refusals(function) == {8: 8}
