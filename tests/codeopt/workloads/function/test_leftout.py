"""Calls that are no evidence, in words: the numbers are of what was counted, and the sentence reads well."""

from __future__ import annotations

import pytest

from codeopt.workloads.function.corpus.exclusions import Exclusion, ExclusionReason, Exclusions, objection, unwritten

TOO_LONG, ENDED, NO_SENSE, TWICE = (
    Exclusion(why)
    for why in (ExclusionReason.TOO_LONG, ExclusionReason.ENDED, ExclusionReason.NO_SENSE, ExclusionReason.TWICE)
)


@pytest.mark.parametrize(
    ("given", "made_up", "words"),
    [
        ({}, {}, ""),
        ({TOO_LONG: 1}, {}, "1 call that took too long"),
        ({TOO_LONG: 0}, {NO_SENSE: 0}, ""),
        ({TOO_LONG: 2, ENDED: 3}, {}, "3 calls that ended the process, 2 calls that took too long"),
        ({TOO_LONG: 2}, {NO_SENSE: 118}, "2 calls that took too long, 118 made-up calls that made no sense"),
        (
            {},
            {Exclusion(ExclusionReason.TWICE, "the clock"): 1},
            "1 made-up call that did not do the same twice (the clock)",
        ),
        (
            unwritten({"self._file: an open file": 1}),
            {},
            "1 call that cannot be written down (self._file: an open file)",
        ),
    ],
)
def test_what_is_left_out(given: dict[Exclusion, int], made_up: dict[Exclusion, int], words: str) -> None:
    assert Exclusions(given, made_up).words() == words


@pytest.mark.parametrize(
    ("dropped", "total", "what", "words"),
    [
        (
            {Exclusion(ExclusionReason.EFFECTS, "changes files"): 2},
            2,
            "call",
            "all 2 calls had side effects (changes files); name the part",
        ),
        (
            {Exclusion(ExclusionReason.TWICE, "the clock"): 1},
            1,
            "call",
            "its only call did not do the same twice (the clock); give it",
        ),
        (
            {Exclusion(ExclusionReason.COMPARED, "socket"): 2, TOO_LONG: 1},
            3,
            "call",
            "2 of 3 calls had a value that cannot be compared (socket)",
        ),
        ({TWICE: 118}, 120, "made-up call", "118 of 120 made-up calls did not do the same twice; give it"),
        ({TWICE: 1}, 2, "call", ""),
        ({TOO_LONG: 5, NO_SENSE: 5}, 10, "call", ""),
        ({}, 0, "call", ""),
    ],
)
def test_what_speaks_against_a_function(dropped: dict[Exclusion, int], total: int, what: str, words: str) -> None:
    found = objection(dropped, total, what)
    assert found.startswith(words)
    assert bool(found) is bool(words)


def test_as_data() -> None:
    found = Exclusions({TOO_LONG: 2}, {NO_SENSE: 5}).figures()
    assert found == {"calls that took too long": 2, "made-up calls that made no sense": 5}
