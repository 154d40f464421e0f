"""A caveat in words, and each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt_sandbox.outcome import Caveat, CaveatKind, Tier, cut, distinct

CAVEAT = Caveat(CaveatKind.INPUT, "f([True])", "returns 1", "returns True", "no known call has a bool")


def test_its_words_name_the_input_and_both_outcomes() -> None:
    assert CAVEAT.words == "on f([True]): returns True, where the original: returns 1 (no known call has a bool)"


def test_its_words_say_how_many_inputs_show_the_same() -> None:
    several = replace(CAVEAT, count=4)
    assert several.words.startswith("on f([True]) and 3 more: returns True, where the original: returns 1")


def test_its_words_do_without_what_is_not_there() -> None:
    few = Caveat(CaveatKind.EVIDENCE, "", "", "only 3 changed inputs could be tried")
    assert few.words == "only 3 changed inputs could be tried"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("f([True, 2])", "f([True, 2])"),
        ("one\ntwo", "one two"),
        ("abcdefgh ijklmnop", "abcdefgh ..."),
        ("abcdefghijklmnop", "abcdefghijkl ..."),
    ],
)
def test_a_text_is_one_line_cut_behind_a_word(text: str, wanted: str) -> None:
    assert cut(text, 12) == wanted


def test_json_has_the_tier() -> None:
    assert CAVEAT.tier == Tier.UNUSUAL == "unusual"


def test_of_one_reason_the_smallest_input_that_may_be_shown_stands_once() -> None:
    longer, hidden = (
        replace(CAVEAT, input="f([True, 2])", max_float_difference=0.5),
        replace(CAVEAT, input="f()", held_out=True),
    )
    other = replace(CAVEAT, cause="no known call has None")
    assert distinct([longer, CAVEAT, hidden, other]) == (replace(CAVEAT, max_float_difference=0.5, count=3), other)
    assert distinct([hidden, other]) == (hidden, other)


def test_without_a_reason_each_stands_for_itself() -> None:
    few = Caveat(CaveatKind.EVIDENCE, "", "", "only 3 changed inputs could be tried")
    assert distinct([few, replace(few, got="nothing was tried"), few]) == (few, replace(few, got="nothing was tried"))
