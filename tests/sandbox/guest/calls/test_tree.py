"""Values as trees: the same tree only for values that are equal in every part; what has none is known."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.guest.calls.repr.shown import shown_text
from codeopt_sandbox.guest.calls.repr.source import call_to_source, to_source
from codeopt_sandbox.guest.calls.repr.tree import Encoder
from codeopt_sandbox.guest.request import ORDERED

KEYS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.binary()
VALUES = st.recursive(
    KEYS | st.complex_numbers(allow_nan=False),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner) | st.sets(KEYS),
    max_leaves=10,
)


def encoded(value: Any) -> bytes:
    return Encoder("mod").whole(value)


def show(value: Any) -> str:
    return shown_text(Encoder("mod").tree(value))


@given(VALUES)
def test_what_is_written_down_is_made_again(value: Any) -> None:
    text = to_source(value)
    assert text is not None
    made = eval(text, {"inf": math.inf, "nan": math.nan})
    assert encoded(made) == encoded(value)


@given(VALUES, VALUES)
def test_the_same_encoding_only_for_equal_values(one: Any, other: Any) -> None:
    if encoded(one) == encoded(other):
        assert one == other


@given(
    st.recursive(
        KEYS, lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner), max_leaves=9
    )
)
def test_the_same_encoding_whoever_else_holds_a_part(value: Any) -> None:
    """And whether it is plain, or stands beside what is not."""
    held = [value, *(value if isinstance(value, list | tuple) else ())]
    assert encoded(eval(repr(value), {"inf": math.inf, "nan": math.nan})) == encoded(held[0])
    assert encoded([value, {1}]) == encoded([eval(repr(value), {"inf": math.inf, "nan": math.nan}), {1}])


@pytest.mark.parametrize(
    ("one", "other", "same_in"),
    [
        ({"a": [1, 2], "b": 3}, {"b": 3, "a": [1, 2]}, {"lists", "none"}),
        ({"a": [1, 2]}, {"a": [2, 1]}, {"none"}),
        ([{"a": 1, "b": {2}}, (1, 2)], [(2, 1), {"b": {2}, "a": 1}], {"none"}),
        (Counter("aab"), Counter("baa"), {"lists", "none"}),
        (Counter({1: 2}), Counter({2: 1}), set()),
        ([1, 1, 2], [1, 2, 2], set()),
        ([1, 1], [1], set()),
    ],
)
def test_containers_whose_order_does_not_count(one: Any, other: Any, same_in: set[str]) -> None:
    found = {each for each in ORDERED if len({Encoder("mod", ordered=each).whole(it) for it in (one, other)}) == 1}
    assert found == same_in


def test_sets_have_no_order() -> None:
    many = [str(n) for n in range(50)] + [(n, 0.5) for n in range(50)]
    assert encoded(set(many)) == encoded(set(reversed(many)))
    assert encoded({frozenset({Part(1), Part(2)})}) == encoded({frozenset({Part(2), Part(1)})})


class Part:
    """An object that is equal to itself alone."""

    def __init__(self, at: int) -> None:
        self.at = at


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (1, True), (0.0, -0.0), ([1], (1,)), ({1: 2, 3: 4}, {3: 4, 1: 2}), ("1", b"1"), ({1}, frozenset([1]))],
)
def test_values_that_python_calls_equal_and_that_are_not(one: Any, other: Any) -> None:
    assert encoded(one) != encoded(other)


def test_what_is_the_same_object() -> None:
    inner = [1]
    assert show([inner, inner]) == "[[1], <the same object as #1>]"
    assert shown_text(Encoder("mod", [("args", (inner,))]).tree(inner)) == "<the same object as args[0]>"
    endless: list[Any] = []
    endless.append(endless)
    assert show(endless) == "[<the same object as #0>]"


def test_iterators_are_counted_and_what_breaks_them_is_named() -> None:
    def broken() -> Any:
        yield iter("ab")
        raise KeyError(1)

    encoder = Encoder("mod")
    tree = encoder.tree(broken())
    assert shown_text(tree) == "<iterator of <iterator of 'a', 'b'> then raises <KeyError>>"
    assert (encoder.iterators, encoder.broken_by) == (2, "KeyError")


def test_what_an_iterator_gives_is_encoded_when_it_is_given() -> None:
    def same_list() -> Any:
        rows: list[int] = []
        for n in range(3):
            rows.append(n)
            yield [rows[:], n]
            rows.clear()

    def changed_later() -> Any:
        row = [1]
        yield row, 5
        row.append(2)

    assert show(same_list()) == "<iterator of [[0], 0], [[1], 1], [[2], 2]>"
    assert show(changed_later()) == "<iterator of ([1], 5)>"


def test_what_cannot_be_compared_is_known() -> None:
    encoder = Encoder("mod")
    assert shown_text(encoder.tree([1, (lambda: 0)])).startswith("[1, <not comparable: function")
    assert encoder.opaque.startswith("function")


@pytest.mark.parametrize("size", [200, 20_001, 3_000_000])
def test_long_values_are_encoded_whole(size: int) -> None:
    one, other = "a" * size + "b", "a" * size + "c"
    assert encoded(one) != encoded(other)
    assert encoded([one, {1}]) != encoded([other, {1}])
    assert len(show(one)) < 210


def test_deep_values_are_encoded_as_far_as_anybody_can() -> None:
    deep: list[Any] = []
    for _ in range(1500):
        deep = [deep]
    assert encoded(deep) != encoded([deep])
    assert show(deep).startswith("[[[")
    encoder = Encoder("mod")
    encoder.tree([deep, {1}])
    assert not encoder.opaque
    for _ in range(1500):
        deep = [deep, {1}]
    encoder = Encoder("mod")
    encoder.tree(deep)
    assert encoder.opaque


def test_a_call_as_an_expression() -> None:
    assert call_to_source((1, "a"), {"key": [2.5]}, to_source) == "f(1, 'a', key=[2.5])"
    assert call_to_source((object(),), {}, to_source) is None
    assert call_to_source((), {"not a name": 1}, to_source) is None


PLAIN = st.one_of(
    st.integers(), st.integers(9_990, 10_010).map(lambda bits: 1 << bits), st.booleans(), st.floats(), st.text(),
    st.binary(), st.none(), st.complex_numbers(),
)  # fmt: skip


@given(st.lists(PLAIN, max_size=6) | st.lists(st.integers(), max_size=6))
def test_plain_items_are_told_apart_wherever_they_stand(items: list[Any]) -> None:
    """The fast way says the same of two values as the slow one, which a set among the items asks for."""
    others = [*items[1:], *items[:1]]
    assert (encoded(items) == encoded(others)) == (encoded([*items, {1}]) == encoded([*others, {1}]))
    by_place, by_other_place = dict(enumerate(items)), dict(enumerate(others))
    assert (encoded(by_place) == encoded(by_other_place)) == (encoded(items) == encoded(others))


class Kin(int):
    """An int, as far as its class is asked."""

    def __repr__(self) -> str:
        return "1"


def test_a_likeness_of_a_plain_item_is_none() -> None:
    assert encoded([1, Kin(2)]) != encoded([1, 1])
    assert encoded({1: Kin(2)}) != encoded({1: 1})
