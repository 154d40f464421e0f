"""A caveat in words, and each once."""

from __future__ import annotations

from dataclasses import replace

from sandbox.caveat import Caveat, Subject, Tier, distinct

CAVEAT = Caveat(Subject.INPUT, "f([True])", "returns 1", "returns True", "no known call has a bool")


def test_its_words_name_the_input_and_both_outcomes() -> None:
    assert CAVEAT.words == "on f([True]): returns True, where the original: returns 1 (no known call has a bool)"


def test_its_words_do_without_what_is_not_there() -> None:
    few = Caveat(Subject.EVIDENCE, "", "", "only 3 changed inputs could be tried")
    assert few.words == "only 3 changed inputs could be tried"


def test_json_has_the_tier() -> None:
    assert CAVEAT.to_json()["tier"] == Tier.BEYOND == "beyond"


def test_one_that_was_met_again_where_it_was_held_out_stands_once() -> None:
    other = replace(CAVEAT, got="raises TypeError")
    assert distinct([CAVEAT, replace(CAVEAT, held_out=True), other]) == (CAVEAT, other)
