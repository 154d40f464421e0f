"""A call becomes larger by recipes, and keeps what the known calls have."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.core.call import Call
from codeopt.workloads.function.resized import MOST_ITEMS, RecipeGrowth, growths, items_of
from codeopt.workloads.generated.larger import size_of
from codeopt.workloads.source.literals import read

ITEMS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.tuples(inner, inner),
    max_leaves=5,
)
ARGUMENTS = (
    st.lists(ITEMS, min_size=1, max_size=6) | st.text(min_size=1) | st.dictionaries(st.text(), ITEMS) | st.integers()
)


def first(*texts: str, factor: int = 50, wide: bool = True) -> Call:
    """The first of some calls, larger in the first way in which that may be."""
    known = [*map(read, texts)]
    way = next(way for way in growths(known[0], known) if isinstance(way, RecipeGrowth) and way.wide is wide)
    grown = way.call(factor, 1)
    assert grown is not None
    return grown


def built(*texts: str, factor: int = 50, wide: bool = True) -> tuple[Any, ...]:
    """The arguments of that call."""
    return first(*texts, factor=factor, wide=wide).built().values


@settings(deadline=None)
@given(st.lists(ARGUMENTS, min_size=1, max_size=2), st.integers(1, 9))
def test_a_larger_call_is_read_as_it_is_written(args: list[Any], factor: int) -> None:
    base = Call(tuple(args))
    for way in growths(base, [base]):
        grown = way.call(factor, 1)
        if grown is not None:
            assert Call(read(grown.text).args) == grown
            assert [type(value) for value in grown.built().values] == [type(value) for value in args]


def test_the_largest_call_is_a_short_text() -> None:
    call = first("f([1, 2])", factor=MOST_ITEMS // 2)
    assert len(call.text) < 100
    assert size_of(read(call.text)) == len(call.built().values[0]) == MOST_ITEMS
    assert growths(call, [call])[0].call(2, 1) is None


@pytest.mark.parametrize(
    "call", ["f([[1, 2], [3]])", "f([{'a': 1, 'b': [1, 2]}])", "f({'a': [1], 'b': [2, 3, 4]})", "f([(1, 'a')])"]
)
def test_what_is_in_items_counts(call: str) -> None:
    """A million rows of ten items would be ten million."""
    known = [read(call)]
    factors = [10**power for power in range(7)]
    made = [grown for factor in factors if (grown := growths(known[0], known)[0].call(factor, 1)) is not None]
    assert 0 < len(made) < len(factors)
    assert all(items_of(grown) <= MOST_ITEMS for grown in made)


@pytest.mark.parametrize(
    ("texts", "keep"),
    [
        (["f([1, 2], [3, 4])"], lambda one, other: len(one) == len(other) == 100),
        (["f([1, 2], [3])", "f([1, 2, 3], [3, 4])"], lambda one, other: len(one) == len(other) + 1),
        (["f([5, 6, 7], 3)", "f([5, 6], 2)"], lambda items, count: len(items) == count == 150),
        (["f([5, 6, 7], 2)", "f([5, 6], 2)"], lambda items, count: count == 2),
        (["f([5, 6, 7], 2)"], lambda items, at: 0 <= at < len(items)),
        (["f([7, 8, 9], [0, 2])"], lambda items, places: all(0 <= at < len(items) for at in places)),
        (["f([[1], [2, 0], [1]])"], lambda graph: all(0 <= at < len(graph) for row in graph for at in row)),
        (["f([[1, 2], [3, 4]])"], lambda table: {len(row) for row in table} == {len(table)}),
        (["f([[1, 2, 3], [3, 4, 5]])"], lambda table: {len(row) for row in table} == {3}),
        (["f([2, 5, 7, 9])"], lambda items: items == sorted(items)),
        (["f([1.0, 2.0])"], lambda items: len(items) == 100 and {type(item) for item in items} == {float}),
        (["f([1, 2])", "f([3, 9])", "f([0, 4])", "f([5, 6])"], lambda items: items == sorted(items)),
        (["f([1, 2, 3])", "f(['a', 'b', 'c'])"], lambda items: len(items) == 150),
        (["f([9, 5, 7, 1, 3, 2, 8, 4, 6, 11])"], lambda items: len(set(items)) == len(items)),
        (["f([{'id': 1, 'name': 'a'}])"], lambda rows: {tuple(row) for row in rows} == {("id", "name")}),
        (["f({'x': 1, 'y': 'b'}, [1, 2])"], lambda record, items: record == {"x": 1, "y": "b"}),
        (["f({'x': 1}, [1, 2])", "f({'x': 3}, [1])"], lambda record, items: record == {"x": 1}),
        (["f('a long text', ',')"], lambda text, mark: mark == "," and set(text) <= set("a long text")),
        (["f([3, 1], 'name')"], lambda items, name: name == "name"),
        (["f('ACGTAC')"], lambda text: set(text) == set("ACGT")),
        (["f([(1, 'a'), (2, None)])"], lambda rows: {type(row[1]) for row in rows} == {str, type(None)}),
    ],
)
def test_relations_are_kept(texts: list[str], keep: Any) -> None:
    for wide in (True, False):
        assert keep(*built(*texts, wide=wide)), wide


def test_an_object_exceeds_the_largest_known_only_as_the_arguments_do() -> None:
    few, many = "f(load('m', 'C')([1, 2]), ['a', 'b', 'c'])", f"f(load('m', 'C')([1, 2, 3]), {['a'] * 150})"
    for factor, sizes in ((10, (3, 30)), (100, (6, 300))):
        made, words = first(few, many, factor=factor).values
        assert (made.values[0].size, words.size) == sizes
