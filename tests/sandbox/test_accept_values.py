"""Answers that a user's checker gets are read from their texts: each value is the one that was shown, or none."""

from __future__ import annotations

import math
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.accept.values import value
from codeopt_sandbox.guest.calls.repr.canonical import CanonicalRepr

numpy = pytest.importorskip("numpy")

PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.complex_numbers()
HASHED = st.none() | st.booleans() | st.integers() | st.text()
SCALARS = st.sampled_from(["<f8", "<i4", "<f4", "<u2", "<c16"]).flatmap(
    lambda kind: st.integers(0, 1).map(lambda number: numpy.dtype(kind).type(number))
)
ARRAYS = st.tuples(st.sampled_from(["<f8", "<i8", "|b1", "<c16"]), st.integers(0, 3), st.integers(0, 3)).map(
    lambda each: numpy.arange(each[1] * each[2]).reshape(each[1], each[2]).astype(each[0])
)
FLAT = st.sampled_from("dfiB").flatmap(lambda kind: st.lists(st.integers(0, 9)).map(lambda each: array(kind, each)))
VALUES = st.recursive(
    PLAIN | SCALARS | ARRAYS | FLAT | st.frozensets(HASHED) | st.builds(set, st.frozensets(HASHED)),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.tuples(inner) | st.dictionaries(HASHED, inner),
)


def same(one: Any, other: Any) -> bool:
    """Whether two values are equal in every part, of the same types."""
    if type(one) is not type(other):
        return False
    if isinstance(one, numpy.ndarray):
        return bool(one.dtype == other.dtype and one.shape == other.shape and (one == other).all())
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, complex) and not isinstance(one, numpy.generic):
        return same(one.real, other.real) and same(one.imag, other.imag)
    return bool(one == other or (isinstance(one, float) and math.isnan(one) and math.isnan(other)))


@given(VALUES)
def test_what_is_shown_is_read_again(made: Any) -> None:
    text = CanonicalRepr("m").show(made)
    if "<the same object as " not in text:
        assert same(value(text), made)


@pytest.mark.parametrize("kind", ["<f8", "<f4", "<c16", "<i4", "|b1", ">u2"])
def test_long_arrays_that_are_told_whole_are_read_again(kind: str) -> None:
    made = (numpy.arange(30_000).reshape(3, 100, 100) % 7).astype(kind)[:, ::-1]
    shown = CanonicalRepr("m")
    shown.whole = True
    found = value(shown.show({"found": made, "again": [made.T.copy()]}))
    assert same(found["found"], made)
    assert same(found["again"][0], made.T.copy())
    found["found"][0] = 0  # a checker may change what it gets


@pytest.mark.parametrize(
    "text",
    [
        "<.Thing>(1)", "__import__('os')", "array('|O', (1,), [1])", "[1, 2... sha256 00", "open('x')", "print",
        "array('<f8', (30000,), sha256 00 marks 00 about [1.0])", "[x for x in (1, 2)]", "(1).real", "{**{}}",
        f"array('<f8', (2,), sha256 {'0' * 64} bytes AAAA)", f"array('|O', (1,), sha256 {'0' * 64} bytes AAAAAAAA)",
        "<the same object as #0>", "set{1: 2}", "other_ * {1}", "array('<f8', (2,), [1.0, 2.0], dtype=1)",
    ],
)  # fmt: skip
def test_a_text_that_says_less_or_more_than_a_value_is_none(text: str) -> None:
    with pytest.raises((ValueError, SyntaxError)):
        value(text)
