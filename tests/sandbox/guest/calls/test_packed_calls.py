"""Packed calls are what their texts would have made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.calls import packed_numbers
from codeopt_sandbox.guest.calls.recipes import unpacked

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.recursive(NUMBERS, st.lists, max_leaves=20), max_size=4))
def test_numbers_are_what_python_reads(args: list[Any]) -> None:
    text = f"f({', '.join(map(repr, args))})"
    packed = packed_numbers(text)
    assert packed is not None or "[" not in text
    if packed is not None:
        assert repr(unpacked(packed)) == repr(eval(text, {"f": lambda *args, **kwargs: (args, kwargs)}))


@pytest.mark.parametrize(
    "text", ["f(01)", "f(1.)", "f('1')", "f((1,))", "f(--1)", "f(1)+f(2)", "f(1,)", "g(1)", "f(x=1)", "f(nan)"]
)
def test_what_is_no_list_of_numbers_is_compiled(text: str) -> None:
    assert packed_numbers(text) is None
