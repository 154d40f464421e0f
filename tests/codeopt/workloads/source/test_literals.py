"""Calls read from text: by JSON's parser where the text allows it, and as Python's own would read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt.workloads.source import literals

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner, inner) | st.sets(st.text()),
    max_leaves=12,
)


@given(st.lists(PLAIN, max_size=3))
def test_what_is_written_is_read_again(arguments: list[object]) -> None:
    call = literals.Call(tuple(arguments), (("key", arguments),))
    again = literals.read(call.text)
    assert again.args == call.args
    assert literals.Call(again.args, again.kwargs) == call


@pytest.mark.parametrize(
    "text",
    [
        "f(1)", "f([1, 2.5, -3], 'ab c')", "f('it', \"x\")", "f({1: 2})", "f([1,])", "f()", "f(1e999)", "f(-0)",
        "f(-0.0)", "f(a=3)", "f(null)", "f('null')", "f(true)", "f(NaN)", "f(-Infinity)", "f(01)", "f(1)(2)",
        "f(1), g(2)", "f('a' 'b')", "f(1_000)", "f(1))(", "f('a', 'b'), f('c')", "f('):')", "f('a')#)", "f(--1)",
        "f('\\x41')", "f('a'*3)", "f(1.)", "f([1], *[2])", "f(" + "[" * 500 + "]" * 500 + ")",
    ],
)  # fmt: skip
def test_the_quick_way_reads_what_python_reads(text: str) -> None:
    assert repr(literals.read(text)._given) == repr(literals._parsed(text))
