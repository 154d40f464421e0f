"""Calls as text and values, and calls made from others."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeopt.core.call import Call, Constructed, Opaque, write
from codeopt.workloads.generated.derive import derive
from codeopt.workloads.generated.larger import grow
from codeopt.workloads.generated.vocabulary import vocabulary
from codeopt.workloads.source.literals import read

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


def test_what_is_no_plain_value_stays_as_it_is() -> None:
    call = read("f(load('m', 'g'), [lambda x: x, 2], k=unpickle('abc'))")
    assert call.values == (Opaque("load('m', 'g')"), Opaque("[lambda x: x, 2]"), Opaque("unpickle('abc')"))
    assert Call(call.args, call.kwargs).text == "f(load('m', 'g'), [lambda x: x, 2], k=unpickle('abc'))"


OBJECT = "f([load('m', 'C')(1, [load('m', 'Kind.A')], k='a')], Decimal('0.5'), used(load('m', 'D')(2), do.add(3)))"


def test_objects_are_changed_in_what_makes_them() -> None:
    call = read(OBJECT)
    assert Call(call.args).text == OBJECT
    assert call.values[0] == [Constructed("load('m', 'C')", (1, [Opaque("load('m', 'Kind.A')")]), (("k", "a"),))]
    made = derive([call], 400, 1)
    firsts = {item.args[0] for other in made for item in other.values[0] if isinstance(item, Constructed)}
    assert len(firsts) > 3
    assert len({repr(other.values[1]) for other in made}) > 3
    assert {write(other.values[2].args[1]) for other in made} >= {"do.add(3)", "do.add(4)", "do.add(0)"}
    grown = grow(read("f(load('m', 'C')(['a', 'b', 'c']))"), 4)
    assert grown is not None
    assert len(grown.values[0].args[0]) == 12


@pytest.mark.parametrize("text", ["CALLS[0]", "f(*x)", "f(**x)", "g(1)", "f(", "f(1) + 2"])
def test_what_is_no_call_that_can_be_taken_apart(text: str) -> None:
    assert not read(text).is_read


def test_special_floats() -> None:
    assert write([math.inf, -math.inf, -0.0]) == "[inf, -inf, -0.0]"
    assert [ast.literal_eval(write(value)) for value in (10**5000, [1, -(10**5000)])] == [10**5000, [1, -(10**5000)]]
    assert read("f(-inf, nan)").is_read


@settings(deadline=None, max_examples=100)
@given(st.lists(values, min_size=1, max_size=3), st.sampled_from([2, 8]))
def test_whatever_is_in_a_list_it_grows(args: list[Any], factor: int) -> None:
    grown = grow(Call(tuple(args)), factor)
    again = read(grown.text) if grown is not None else None
    assert again is None or again.is_read
    for old, new in zip(args, again.args if again else (), strict=False):
        assert type(new) is type(old)
        assert not isinstance(old, list) or len(new) == len(old) * (factor if len(old) > 2 else 1)


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
    made = derive([*map(read, known)], 1000, seed, vocabulary(LAST_WORD, LAST_WORD))
    assert sum(eval(call.text, spaces[0]) != eval(call.text, spaces[1]) for call in made) >= 4


ROWS = "f([{'user': 'a', 'size': '3'}, {'user': 'b', 'size': '4'}])"
MET = ("'0'", "'-1'", "'4'", "'2'", "'\u0663'", "'3\\n'", "'\xe9'", "'3\xe9'")


@pytest.mark.parametrize("seed", range(3))
def test_what_people_meet_is_made_whatever_is_drawn(seed: int) -> None:
    made = derive([read("f([])"), read(ROWS)], 1000, seed)
    for text in MET:
        assert read(f"f([{{'user': 'a', 'size': {text}}}])") in made
        assert read(f"f([{{'user': 'a', 'size': {text}}}, {{'user': 'b', 'size': '4'}}])") in made
