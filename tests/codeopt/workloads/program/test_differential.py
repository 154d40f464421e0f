"""Changed inputs as a judge: how strictly, with what originals, and what is told of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from codeopt.strictness import Strictness
from codeopt.workloads.program.differential import (
    MANY_CASES,
    MAX_MUTATED_INPUTS,
    MOST,
    DifferentialTest,
    choose,
    make_differential_test,
)
from sandbox import Case, RunLimits, Sandbox, Verdict
from sandbox.verdict import check_tokens
from tests.conftest import open_or_skip

SUM = "import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n"
BY_HEART = "import sys\nprint({6: 6, 10: 10, 15: 15}.get(sum(map(int, sys.stdin.read().split()[1:])), 0))\n"
NO_NEGATIVES = "import sys\nprint(sum(map(abs, map(int, sys.stdin.read().split()[1:]))))\n"
CASES = [Case("a", b"3\n1 2 3\n"), Case("b", b"4\n1 2 3 4\n"), Case("c", b"5\n5 4 3 2 1\n")]


@pytest.fixture(scope="module")
def guest() -> Iterator[Sandbox]:
    with open_or_skip("bubblewrap", RunLimits(seconds=5)) as opened:
        yield opened


def differential(
    guest: Sandbox, source: str, strictness: Strictness = Strictness.STRICT, **other: bool
) -> DifferentialTest:
    return make_differential_test(guest, source, CASES, check_tokens, strictness, seed=1, **other)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "cases", "generated", "found"),
    [
        ("auto", 1, False, "strict"),
        ("auto", MANY_CASES - 1, False, "strict"),
        ("auto", MANY_CASES, False, "lenient"),
        ("auto", 1, True, "off"),
        ("auto", 100, True, "off"),
        ("strict", 100, True, "strict"),
        ("lenient", 1, False, "lenient"),
        ("off", 1, False, "off"),
    ],
)
def test_what_auto_means(asked: str, cases: int, generated: bool, found: str) -> None:
    assert choose(Strictness(asked), CASES[:1] * cases, generated=generated) is Strictness(found)


def test_what_the_original_prints_is_what_is_expected(guest: Sandbox) -> None:
    made = differential(guest, SUM)
    cases = list(made)
    assert len(cases) > 10
    for case in cases[:10]:
        assert guest.run(SUM, case.stdin).stdout == case.expected
    assert made.run(guest, SUM.replace("sum(map", "sum(1 * x for x in map"), check_tokens) == ()


def test_strict_one_difference_is_enough(guest: Sandbox) -> None:
    wrong = differential(guest, SUM).run(guest, NO_NEGATIVES, check_tokens)
    assert [outcome.verdict for outcome in wrong] == [Verdict.WA]
    assert "on the changed input" in wrong[0].detail


def test_lenient_only_what_was_learnt_by_heart_is_found(guest: Sandbox) -> None:
    made = differential(guest, SUM, Strictness.LENIENT)
    assert list(made)
    assert made.run(guest, NO_NEGATIVES, check_tokens) == ()
    assert [outcome.verdict for outcome in made.run(guest, BY_HEART, check_tokens)] == [Verdict.WA]
    assert 0.5 < MOST < 1


def test_no_more_mutants_are_made_than_decide(guest: Sandbox) -> None:
    strict = differential(guest, SUM)
    assert strict.run(guest, BY_HEART, check_tokens)
    assert len(strict.made) < len(list(strict))
    lenient = differential(guest, SUM, Strictness.LENIENT)
    for _ in range(2):  # the second draft meets those that the first one met
        assert lenient.run(guest, SUM, check_tokens) == ()
        assert len(lenient.made) == math.ceil((1 - MOST) * MAX_MUTATED_INPUTS[Strictness.LENIENT])


def test_off_nothing_is_run(guest: Sandbox) -> None:
    made = differential(guest, SUM, Strictness.OFF)
    assert list(made) == []
    assert made.run(guest, BY_HEART, check_tokens) == ()


ORIGINALS = {
    "fails on what it does not know": "import sys\nassert sys.stdin.read().split()[0] in '345'\nraise SystemExit(2)\n",
    "prints something else each time": "import random\nprint(random.SystemRandom().random())\n",
    "depends on the order of sets": "print(list(set('abcdefghij')))\n",
    "complains": "import sys\nprint('careful', file=sys.stderr)\n",
    "never ends": "while True:\n    pass\n",
}


@pytest.mark.parametrize("source", ORIGINALS.values(), ids=ORIGINALS)
def test_an_input_that_the_original_does_not_take_counts_for_nothing(source: str) -> None:
    with open_or_skip("bubblewrap", RunLimits(seconds=0.1)) as hasty:
        made = differential(hasty, source)
        assert made.run(hasty, "print(0)\n", check_tokens) == ()
        assert made.made == []


def test_some_inputs_are_taken_and_some_are_not(guest: Sandbox) -> None:
    picky = "import sys\na = list(map(int, sys.stdin.read().split()[1:]))\nassert min(a) > 0\nprint(sum(a))\n"
    made = differential(guest, picky)
    assert list(made)
    assert all(int(token) > 0 for case in made for token in case.stdin.split()[1:])


def test_a_draft_that_fails_is_wrong(guest: Sandbox) -> None:
    wrong = differential(guest, SUM).run(guest, SUM + "raise SystemExit(1)\n", check_tokens)
    assert [outcome.verdict for outcome in wrong] == [Verdict.RE]


def test_what_is_held_out_is_never_quoted(guest: Sandbox) -> None:
    made = differential(guest, SUM, held_out=True)
    assert all(case.held_out for case in list(made))
    (wrong,) = made.run(guest, BY_HEART, check_tokens)
    case = next(case for case in made.made if case.name == wrong.case)
    assert "changed input" not in wrong.detail
    assert case.stdin.decode() not in wrong.detail


def test_a_long_input_is_quoted_in_part(guest: Sandbox) -> None:
    for outcome in differential(guest, SUM).run(guest, "print(0)\n", check_tokens):
        assert len(outcome.detail) < 400
        assert "\n" not in outcome.detail


def test_other_seeds_of_hashes_are_tried(guest: Sandbox) -> None:
    """A set's order is right by chance under one seed, not under three."""
    original = "words = input().split()\nprint(*dict.fromkeys(words))\n"
    cases = [Case("a", b"red green blue red\n"), Case("b", b"one two three two\n")]
    made = make_differential_test(guest, original, cases, check_tokens, Strictness.STRICT, seed=1)
    assert made.run(guest, original.replace("dict.fromkeys(words)", "set(words)"), check_tokens)
