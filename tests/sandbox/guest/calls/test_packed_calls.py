"""Packed calls are what their texts, or the calls file, would have made."""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.calls.packed_calls import is_plain, packed_call, packed_calls, packed_numbers, read_packed
from codeopt_sandbox.guest.calls.packed_calls import unpacked as unpack

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner),
    max_leaves=8,
)


def call(*args: Any, **kwargs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return args, kwargs


@given(st.lists(st.recursive(NUMBERS, st.lists, max_leaves=20), max_size=4))
def test_numbers_are_what_python_reads(args: list[Any]) -> None:
    text = f"f({', '.join(map(repr, args))})"
    packed = packed_numbers(text)
    assert packed is not None or "[" not in text
    if packed is not None:
        assert repr(unpack(packed)) == repr(eval(text, {"f": call}))


@pytest.mark.parametrize(
    "text", ["f(01)", "f(1.)", "f('1')", "f((1,))", "f(--1)", "f(1)+f(2)", "f(1,)", "g(1)", "f(x=1)", "f(nan)"]
)
def test_what_is_no_list_of_numbers_is_compiled(text: str) -> None:
    assert packed_numbers(text) is None


@given(st.lists(st.tuples(st.tuples(VALUES, VALUES), st.dictionaries(st.text(), VALUES)), max_size=3))
def test_calls_of_a_file_come_back(calls: list[Any]) -> None:
    read = read_packed(packed_calls({"CALLS": calls, "BIG": []}))
    assert repr([unpack(each) for each in read["CALLS"] if each]) == repr(calls)


class Two(IntEnum):
    TWO = 2


@pytest.mark.parametrize("value", [array("i", [1]), bytearray(b"x"), Two.TWO, memoryview(b"x"), len, object()])
def test_what_is_no_plain_value_is_left_out(value: Any) -> None:
    assert packed_call(((1, [value]), {})) is None


def test_a_part_that_two_arguments_share_is_shared_again() -> None:
    shared = [1]
    (one, other), _ = unpack(packed_call(((shared, [shared]), {})) or b"")
    assert other[0] is one


def test_a_value_that_holds_itself_is_looked_at_once() -> None:
    value: list[Any] = []
    value.append(value)
    assert is_plain(value)
