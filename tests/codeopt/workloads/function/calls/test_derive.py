"""Calls as text and values, and calls made from others."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.larger import grow
from codeopt.workloads.generated.vocabulary import Vocabulary, vocabulary
from codeopt.workloads.source.literals import Call, Constructed, Opaque, read, write

simple = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(), st.binary(), st.complex_numbers(allow_nan=False)
)
values = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.lists(inner),
        st.tuples(inner, inner),
        st.dictionaries(st.text(), inner),
        st.sets(st.integers()),
        st.frozensets(st.text()),
    ),
)


@settings(deadline=None)
@given(st.lists(values, max_size=3))
def test_a_written_call_is_read_as_the_same(args: list[Any]) -> None:
    call = Call(tuple(args), (("key", args),))
    again = read(call.text())
    assert again is not None
    assert repr(again) == repr(call) or again.text() == call.text()


def test_what_is_no_plain_value_stays_as_it_is() -> None:
    call = read("f(load('m', 'g'), [lambda x: x, 2], k=unpickle('abc'))")
    assert call is not None
    assert call.values == (Opaque("load('m', 'g')"), Opaque("[lambda x: x, 2]"), Opaque("unpickle('abc')"))
    assert call.text() == "f(load('m', 'g'), [lambda x: x, 2], k=unpickle('abc'))"


OBJECT = "f([load('m', 'C')(1, [load('m', 'Kind.A')], k='a')], Decimal('0.5'), used(load('m', 'D')(2), do.add(3)))"


def test_objects_are_changed_in_what_makes_them() -> None:
    call = read(OBJECT)
    assert call is not None
    assert call.text() == OBJECT
    assert call.values[0] == [Constructed("load('m', 'C')", (1, [Opaque("load('m', 'Kind.A')")]), (("k", "a"),))]
    made = [other for text in derive([OBJECT], 400, 1) if (other := read(text))]
    firsts = {item.args[0] for other in made for item in other.values[0] if isinstance(item, Constructed)}
    assert len(firsts) > 3
    assert len({repr(other.values[1]) for other in made}) > 3
    assert {write(other.values[2].args[1]) for other in made} >= {"do.add(3)", "do.add(4)", "do.add(0)"}
    grown = read(grow("f(load('m', 'C')(['a', 'b', 'c']))", 4) or "")
    assert grown is not None
    assert len(grown.values[0].args[0]) == 12


@pytest.mark.parametrize("text", ["CALLS[0]", "f(*x)", "f(**x)", "g(1)", "f(", "f(1) + 2"])
def test_what_is_no_call_that_can_be_taken_apart(text: str) -> None:
    assert read(text) is None


def test_special_floats() -> None:
    assert write([math.inf, -math.inf, -0.0]) == "[inf, -inf, -0.0]"
    assert [ast.literal_eval(write(value)) for value in (10**5000, [1, -(10**5000)])] == [10**5000, [1, -(10**5000)]]
    assert read("f(-inf, nan)") is not None


@settings(deadline=None, max_examples=50)
@given(st.lists(values, min_size=1, max_size=3), st.integers(0, 5))
def test_derived_calls_keep_their_types_and_come_again(args: list[Any], seed: int) -> None:
    base = Call(tuple(args)).text()
    found = derive([base], 10, seed, Vocabulary((17, "abc")))
    assert found == derive([base], 10, seed, Vocabulary((17, "abc")))
    assert base not in found
    for text in found:
        call = read(text)
        assert call is not None
        assert [type(value) for value in call.args] == [type(value) for value in args]


def test_boundaries_are_reached() -> None:
    found = derive(["f([3, 1, 2], 2)"], 200, 1, Vocabulary((17,)))
    seconds = {read(text).args[1] for text in found if read(text)}  # type: ignore[union-attr]
    assert {0, -1, 1, 3, 4, 17, 18} <= seconds
    firsts = [read(text).args[0] for text in found if read(text)]  # type: ignore[union-attr]
    assert [] in firsts
    assert any(len(a) != len(set(a)) for a in firsts)
    assert any(item < 0 for a in firsts for item in a)


def test_growing() -> None:
    grown = read(grow("f([3, 1, 2], 2)", 4) or "")
    assert grown is not None
    assert len(grown.args[0]) == 12
    assert grown.args[1] == 2
    assert grow("f(42)", 4) == "f(85)"
    assert grow("f(None)", 4) is None


@settings(deadline=None, max_examples=100)
@given(st.lists(values, min_size=1, max_size=3), st.sampled_from([2, 8]))
def test_whatever_is_in_a_list_it_grows(args: list[Any], factor: int) -> None:
    grown = grow(Call(tuple(args)).text(), factor)
    again = read(grown) if grown is not None else None
    assert grown is None or again is not None
    for old, new in zip(args, again.args if again else (), strict=False):
        assert type(new) is type(old)
        assert not isinstance(old, list) or len(new) == len(old) * (factor if len(old) > 2 else 1)


@pytest.mark.parametrize("args", ["[1j, 2, 1j]", "[1, 'a', 2]", "[None, True, 3]", "[(1, 2), 5, -5]"])
def test_lists_of_several_types_grow(args: str) -> None:
    assert len((read(grow(f"f({args})", 2) or "") or Call(([],))).args[0]) == 6


LAST_WORD = """\
def f(line, name):
    if not line.startswith("#!"):
        return False
    words = [word for word in line[2:].replace("/", " ").split(" ") if word and not word.startswith("-")]
    return bool(words) and words[-1].lower() == name
"""


@pytest.mark.parametrize("seed", range(12))
def test_what_a_parser_looks_for_stands_at_a_field(seed: int) -> None:
    """A draft that forgets options is seen through, although nearly all changes of a line make the answer False."""
    known = ["f('#!/usr/bin/env python', 'python')", "f('#!/usr/bin/perl', 'perl')", "f('# a line', 'line')"]
    wrong = LAST_WORD.replace(' and not word.startswith("-")', "")
    spaces: list[dict[str, Any]] = [{}, {}]
    for space, text in zip(spaces, (LAST_WORD, wrong), strict=True):
        exec(text, space)
    made = derive(known, 1000, seed, vocabulary(LAST_WORD, LAST_WORD))
    assert sum(eval(text, spaces[0]) != eval(text, spaces[1]) for text in made) >= 4


@pytest.mark.parametrize("seed", range(3))
def test_texts_that_are_numbers_become_other_numbers(seed: int) -> None:
    made = derive(["f([{'user': 'a', 'size': '3'}, {'user': 'b', 'size': '41'}])"], 1000, seed)
    sizes = {
        row.get("size") for text in made if (call := read(text)) for row in call.values[0] if isinstance(row, dict)
    }
    assert sizes >= {"0", "-1", "2", "4", "40", "42"}


@pytest.mark.parametrize("known", ["1", "1.20.3", "10:45"])
def test_one_number_of_a_text_is_written_in_digits_of_another_script(known: str) -> None:
    made = [read(text) for text in derive([f"f({known!r})"], 1000, 1)]
    texts = {call.values[0] for call in made if call and isinstance(call.values[0], str)}
    others = [text for text in texts if not text.isascii() and all(c.isdecimal() or c in ".:" for c in text)]
    assert any("".join(str(int(c)) if c.isdecimal() else c for c in text) == known for text in others), texts


ROWS = "f([{'user': 'a', 'size': '3'}, {'user': 'b', 'size': '4'}])"
MET = ("'0'", "'-1'", "'4'", "'2'", "'\u0663'", "'3\\n'", "'\xe9'", "'3\xe9'")


@pytest.mark.parametrize("seed", range(3))
def test_what_people_meet_is_made_whatever_is_drawn(seed: int) -> None:
    made = derive(["f([])", ROWS], 1000, seed)
    for text in MET:
        assert f"f([{{'user': 'a', 'size': {text}}}])" in made
        assert f"f([{{'user': 'a', 'size': {text}}}, {{'user': 'b', 'size': '4'}}])" in made


@pytest.mark.parametrize(
    ("source", "none"), [("def f(words): return words", False), ("def f(a): return a is None", True)]
)
def test_none_is_put_into_lists_if_the_function_speaks_of_it(source: str, none: bool) -> None:
    made = [read(text) for text in derive(["f(['a', 'b', 'c'])"], 500, 1, vocabulary(source, source))]
    kinds = {type(item) for call in made if call for item in call.values[0]}
    assert kinds == ({str, type(None)} if none else {str})
