"""Answers that a user's checker gets are read from JSON: each value is the one that was returned, or none."""
# looks at sandbox/codeopt_sandbox/guest/accept

from __future__ import annotations

import json
import math
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.accept import value
from codeopt_sandbox.guest.calls.channel import to_json
from codeopt_sandbox.guest.calls.outcome import portable
from codeopt_sandbox.guest.calls.repr.tree import Encoder

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


def sent(made: Any) -> Any:
    """A value as it is sent."""
    return json.loads(to_json(portable(Encoder("m").tree(made))))


@given(VALUES)
def test_what_is_sent_is_read_again(made: Any) -> None:
    found = sent(made)
    if found is not None or made is None:  # None: a part of it occurs twice
        assert same(value(found), made)


@pytest.mark.parametrize("kind", ["<f8", "<f4", "<c16", "<i4", "|b1", ">u2"])
def test_long_arrays_are_read_again(kind: str) -> None:
    made = (numpy.arange(30_000).reshape(3, 100, 100) % 7).astype(kind)[:, ::-1]
    found = value(sent({"found": made, "again": [made.T.copy()]}))
    assert same(found["found"], made)
    assert same(found["again"][0], made.T.copy())
    found["found"][0] = 0  # a checker may change what it gets


class Thing:
    """An object."""


@pytest.mark.parametrize("made", [Thing(), [Thing()], open, iter([1]), [[1], iter([])], numpy.array([Thing()])])
def test_what_is_more_than_literals_and_arrays_is_not_sent(made: Any) -> None:
    assert sent(made) is None


@pytest.mark.parametrize(
    "found",
    [
        1, ["thing", 1], ["int"], ["int", "x"], ["list", 1], ["array", "|O", [1], "AAAAAAAA"],
        ["array", "<f8", [2], ""], ["scalar", "|O", None], ["dict", [1]], {}, ["array", "<f8", [1]], ["set", ["list"]],
        ["array.array", "x", None],
    ],
)  # fmt: skip
def test_what_says_less_or_more_than_a_value_is_none(found: Any) -> None:
    with pytest.raises(ValueError, match="val|liter|numbers|size|typecode|hash|base"):
        value(found)
