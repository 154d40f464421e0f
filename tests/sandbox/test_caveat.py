"""A caveat in words, and each once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeopt_sandbox.outcome import Caveat, CaveatKind, cut, distinct

CAVEAT = Caveat(CaveatKind.INPUT, "f([True])", "returns 1", "returns True", "no known call has a bool")


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
