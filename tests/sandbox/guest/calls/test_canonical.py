"""Values as text: the same text only for values that are equal in every part; what has none is known."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.calls.repr.canonical import CanonicalRepr
from codeopt_sandbox.guest.calls.repr.plain import MAX_TEXT_CHARS, NOT_COMPARABLE, cut
from codeopt_sandbox.guest.calls.repr.source import call_to_source, to_source

KEYS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    KEYS | st.complex_numbers(allow_nan=False),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner) | st.sets(KEYS),
    max_leaves=10,
)


def show(value: Any) -> str:
    return CanonicalRepr("mod").show(value)


@given(VALUES)
def test_what_is_written_down_is_made_again(value: Any) -> None:
    text = to_source(value)
    assert text is not None
    made = eval(text, {"inf": math.inf, "nan": math.nan})
    assert show(made) == show(value)


@given(VALUES, VALUES)
def test_the_same_text_only_for_equal_values(one: Any, other: Any) -> None:
    if show(one) == show(other):
        assert one == other


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), (0.0, -0.0), ([1], (1,)), ({1: 2, 3: 4}, {3: 4, 1: 2}), ("1", b"1"), ({1}, frozenset([1]))],
)
def test_values_that_python_calls_equal_and_that_are_not(one: Any, other: Any) -> None:
    assert show(one) != show(other)


def test_what_is_the_same_object() -> None:
    inner = [1]
    assert show([inner, inner]) == "[[1], <the same object as #1>]"
    assert CanonicalRepr("mod", [("args", (inner,))]).show(inner) == "<the same object as args[0]>"
    endless: list[Any] = []
    endless.append(endless)
    assert show(endless) == "[<the same object as #0>]"


def test_iterators_are_counted_and_what_breaks_them_is_named() -> None:
    def broken() -> Any:
        yield iter("ab")
        raise KeyError(1)

    shown = CanonicalRepr("mod")
    assert shown.show(broken()) == "<iterator of <iterator of 'a', 'b'> then raises <KeyError>>"
    assert (shown.iterators, shown.broken_by) == (2, "KeyError")


def test_what_cannot_be_compared_is_known() -> None:
    shown = CanonicalRepr("mod")
    assert shown.show([1, (lambda: 0)]).startswith(f"[1, {NOT_COMPARABLE}function")
    assert shown.opaque.startswith("function")


def test_long_texts_end_with_a_digest() -> None:
    one, other = cut("a" * MAX_TEXT_CHARS + "b"), cut("a" * MAX_TEXT_CHARS + "c")
    assert len(one) == len(other) < MAX_TEXT_CHARS + 100
    assert one != other
    assert cut("a" * MAX_TEXT_CHARS) == "a" * MAX_TEXT_CHARS


def test_a_call_as_an_expression() -> None:
    assert call_to_source((1, "a"), {"key": [2.5]}, to_source) == "f(1, 'a', key=[2.5])"
    assert call_to_source((object(),), {}, to_source) is None
    assert call_to_source((), {"not a name": 1}, to_source) is None


PLAIN = st.one_of(
    st.integers(), st.integers(9_990, 10_010).map(lambda bits: 1 << bits), st.booleans(), st.floats(), st.text(),
    st.binary(), st.none(), st.complex_numbers(),
)  # fmt: skip


@given(st.lists(PLAIN, max_size=6) | st.lists(st.integers(), max_size=6))
def test_many_plain_items_are_shown_as_each_is(items: list[Any]) -> None:
    shown = [show(item) for item in items]
    assert show(items) == f"[{', '.join(shown)}]"
    assert show(set(items)) == f"set{{{', '.join(sorted(show(item) for item in set(items)))}}}"
    by_place = dict(enumerate(items))
    assert show(by_place) == f"{{{', '.join(f'{at}: {text}' for at, text in enumerate(shown))}}}"


class Kin(int):
    """An int, as far as its class is asked."""

    def __repr__(self) -> str:
        return "1"


def test_a_likeness_of_a_plain_item_is_none() -> None:
    assert show([1, Kin(2)]) != show([1, 1])
    assert show({1: Kin(2)}) != show({1: 1})
