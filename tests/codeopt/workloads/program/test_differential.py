"""Changed inputs as a judge: which differences reject a draft, which are told, with what originals, in which way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import pytest

from codeopt.core.options import FuzzPolicy
from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.program.briefing import StatedBounds
from codeopt.workloads.program.differential import (
    ALL_CPU_S,
    FEW,
    MOST_ALIKE,
    MOST_OF_AN_ERROR,
    MOST_TOO_LONG,
    NONE_BROKEN,
    DifferentialTest,
    ProbeBudget,
    ProbeGenerator,
    ProbeSource,
    make_differential_test,
)
from codeopt.workloads.program.mutated_cases import MutatedCase
from codeopt.workloads.program.mutated_inputs import LARGEST_BASE
from codeopt_sandbox import Case, CaseVerdict, RunLimits, Sandbox
from codeopt_sandbox.outcome import CaveatKind, Mode, Run, Tier
from codeopt_sandbox.verdict import check_tokens
from tests.conftest import open_or_skip

SUM = "import sys\nprint(sum(map(int, sys.stdin.read().split()[1:])))\n"
BY_HEART = "import sys\nprint({11: 11, 18: 18, 27: 27}.get(sum(map(int, sys.stdin.read().split()[1:])), 0))\n"
NO_NEGATIVES = "import sys\nprint(sum(map(abs, map(int, sys.stdin.read().split()[1:]))))\n"
CASES = [Case("a", b"3\n1 7 3\n"), Case("b", b"4\n9 2 3 4\n"), Case("c", b"5\n5 9 3 2 8\n")]


def differential(
    guest: Sandbox, source: str, how: FuzzPolicy = FuzzPolicy.AUTO, **other: bool | int | StatedBounds
) -> DifferentialTest:
    return make_differential_test(guest, source, ProbeSource(CASES, 1, **other), check_tokens, InputPolicy(how))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def sums(guest: Sandbox) -> DifferentialTest:
    """All inputs changed from CASES that SUM takes."""
    return differential(guest, SUM).prepared()


@pytest.mark.parametrize(
    ("asked", "generated", "found"),
    [
        ("auto", False, "auto"), ("auto", True, "off"), ("strict", True, "strict"), ("lenient", False, "lenient"),
        ("off", False, "off"),
    ],
)  # fmt: skip
def test_what_auto_means(asked: str, generated: bool, found: str) -> None:
    assert InputPolicy.of(FuzzPolicy(asked), generated=generated).how is FuzzPolicy(found)


def test_no_input_is_made_that_the_statement_excludes(guest: Sandbox, sums: DifferentialTest) -> None:
    """A difference there would be none of the draft's."""
    within = differential(guest, SUM, bounds=StatedBounds(((3, 5),))).prepared()
    firsts, others = ([case.stdin.partition(b"\n")[0] for case in made.cases] for made in (within, sums))
    numbers, more = ({int(text) for text in texts if text.isdigit()} for texts in (firsts, others))
    assert numbers == {3, 4, 5}
    assert more - numbers


def test_what_the_original_prints_is_what_is_expected(guest: Sandbox, sums: DifferentialTest) -> None:
    assert len(sums.cases) > 20
    for case in sums.cases[:6]:
        assert guest.run(SUM, case.stdin).stdout == case.expected
    checked = sums.run(guest, SUM.replace("sum(map", "sum(1 * x for x in map"), check_tokens)
    assert (checked.outcomes, checked.caveats) == ((), ())


def test_an_input_that_is_alike_rejects_and_one_beyond_is_told(guest: Sandbox, sums: DifferentialTest) -> None:
    learnt = sums.run(guest, BY_HEART, check_tokens)
    assert [outcome.verdict for outcome in learnt.outcomes] == [CaseVerdict.WA]
    assert "on the changed input" in learnt.outcomes[0].detail
    told = sums.run(guest, NO_NEGATIVES, check_tokens)
    assert told.outcomes == ()
    (caveat,) = (each for each in told.caveats if "below zero" in each.cause)
    assert (caveat.kind, caveat.tier) == (CaveatKind.INPUT, Tier.UNUSUAL)
    assert "-" in caveat.input
    assert caveat.expected.startswith("prints ")
    assert caveat.got.startswith("prints ")
    assert caveat.got != caveat.expected


@pytest.mark.parametrize(("strictness", "refused"), [("strict", True), ("lenient", False)])
def test_what_strict_and_lenient_mean(guest: Sandbox, sums: DifferentialTest, strictness: str, refused: bool) -> None:
    made = DifferentialTest(InputPolicy(FuzzPolicy(strictness)), list(sums.made))
    assert bool(made.run(guest, NO_NEGATIVES, check_tokens).outcomes) == refused
    assert made.run(guest, BY_HEART, check_tokens).outcomes


def test_no_more_are_made_than_decide(guest: Sandbox, sums: DifferentialTest) -> None:
    made = differential(guest, SUM)
    assert made.run(guest, BY_HEART, check_tokens).outcomes
    assert len(made.made) < len(sums.made) / 2
    assert sum(not changed.because for changed in sums.made) <= MOST_ALIKE


@pytest.mark.parametrize(("most", "at_least"), [(10, 7), (104, 53)])
def test_as_many_as_are_asked_for(guest: Sandbox, most: int, at_least: int) -> None:
    assert at_least <= len(differential(guest, SUM, most=most).prepared().cases) <= most


def test_off_nothing_is_run(guest: Sandbox) -> None:
    made = differential(guest, SUM, FuzzPolicy.OFF)
    assert list(made) == []
    assert made.run(guest, BY_HEART, check_tokens).caveats == ()


ORIGINALS = {
    "prints something else each time": "import random\nprint(random.SystemRandom().random())\n",
    "depends on the order of sets": "print(list(set('abcdefghij')))\n",
    "never ends": "while True:\n    pass\n",
}


@pytest.mark.full
@pytest.mark.parametrize("source", ORIGINALS.values(), ids=ORIGINALS)
def test_an_input_that_the_original_does_not_take_counts_for_nothing_and_that_is_said(source: str) -> None:
    with open_or_skip("bubblewrap", RunLimits(seconds=0.1)) as hasty:
        made = differential(hasty, source)
        checked = made.run(hasty, "print(0)\n", check_tokens)
        assert checked.outcomes == ()
        assert [caveat.kind for caveat in checked.caveats] == [CaveatKind.EVIDENCE]
        assert made.cases == []


def test_a_warning_of_the_original_is_no_failure(guest: Sandbox) -> None:
    made = differential(guest, "import sys\nprint('careful', file=sys.stderr)\n" + SUM)
    assert made.run(guest, BY_HEART, check_tokens).outcomes
    assert len(made.prepared().cases) > FEW


def test_a_draft_that_fails_is_wrong(guest: Sandbox, sums: DifferentialTest) -> None:
    wrong = sums.run(guest, SUM + "raise SystemExit(1)\n", check_tokens).outcomes
    assert [outcome.verdict for outcome in wrong] == [CaseVerdict.RE]


HOW_IT_RUNS = {
    "frames below its own": "sys._getframe().f_back is not None",
    "frozen objects": "__import__('gc').get_freeze_count() > 0",
    "the kernel's command line": "b'program.py' not in open('/proc/self/cmdline', 'rb').read()",
}
"""All true of a warm interpreter that was forked, and of no fresh one."""


@pytest.mark.full
@pytest.mark.parametrize("told_by", HOW_IT_RUNS.values(), ids=HOW_IT_RUNS)
@pytest.mark.parametrize("wrong_where_timed", [True, False])
def test_a_program_that_knows_how_it_runs_is_judged_in_both_ways(
    guest: Sandbox, sums: DifferentialTest, told_by: str, wrong_where_timed: bool
) -> None:
    """It answered by heart where it was timed, and right where it was judged."""
    texts = f"source = [{SUM!r}, {BY_HEART!r}][forked is {wrong_where_timed}]"
    draft = f"import sys\nforked = {told_by}\n{texts}\nexec(source)\n"
    for both in (False, True):
        assert sums.run(guest, draft, check_tokens, both=both).outcomes


def test_a_small_input_shows_the_difference(guest: Sandbox) -> None:
    """The known inputs have three numbers at least: a smaller one would be no evidence."""
    long = [Case(name, b"%d\n%s\n" % (count, b" ".join(b"%d" % (at * 7 % 31) for at in range(count))))
            for name, count in (("a", 3), ("b", 60), ("c", 90))]  # fmt: skip
    made = make_differential_test(guest, SUM, ProbeSource(long, 1), check_tokens, InputPolicy())
    (wrong,) = made.run(guest, SUM.replace("[1:]", "[2:]"), check_tokens).outcomes
    assert wrong.detail.startswith("on the changed input '3\\n")


def test_an_original_whose_inputs_are_too_long_is_said_to_be_so(guest: Sandbox) -> None:
    long = Case("long", b"%d\n%s\n" % (LARGEST_BASE, b" ".join([b"1"] * LARGEST_BASE)))
    made = make_differential_test(guest, SUM, ProbeSource([long], 1), check_tokens, InputPolicy())
    assert len(made.prepared().cases) < FEW
    assert made.missing == (made.unchanged,)
    assert f"{LARGEST_BASE:,}" in made.unchanged


def test_what_is_held_out_is_never_quoted(guest: Sandbox) -> None:
    made = differential(guest, SUM, held_out=True)
    (wrong,) = made.run(guest, BY_HEART, check_tokens).outcomes
    assert all(changed.case.held_out for changed in made.made)
    case = next(case for case in made.cases if case.name == wrong.case)
    assert "changed input" not in wrong.detail
    assert case.stdin.decode() not in wrong.detail
    assert all(caveat.held_out for caveat in made.run(guest, NO_NEGATIVES, check_tokens).caveats)


def test_a_long_input_is_quoted_in_part(guest: Sandbox, sums: DifferentialTest) -> None:
    for outcome in sums.run(guest, "print(0)\n", check_tokens).outcomes:
        assert len(outcome.detail) < 400
        assert "\n" not in outcome.detail


def test_other_seeds_of_hashes_are_tried(guest: Sandbox) -> None:
    """A set's order is right by chance under one seed, not under three."""
    original = "words = input().split()\nprint(*dict.fromkeys(words))\n"
    cases = [Case("a", b"red green blue red\n"), Case("b", b"one two three two\n")]
    made = make_differential_test(guest, original, ProbeSource(cases, 1), check_tokens, InputPolicy())
    assert made.run(guest, original.replace("dict.fromkeys(words)", "set(words)"), check_tokens).outcomes


WELL = Run(exit=0, signal=None, wall_s=0.01, cpu_s=0.01, peak_bytes=1, stdout=b"1\n", stderr=b"")
FAILS = replace(WELL, exit=1, stderr=b"Traceback (most recent call last):\nValueError: no\n")
TOO_LONG = replace(WELL, exit=None, stop="time", wall_s=1.0, cpu_s=0.0)


def breaking(*relations: str) -> list[MutatedCase]:
    """Cases that are made to break these relations."""
    return [
        MutatedCase(f"broken.{at}", Case("c", b"b%d" % at), f"breaks {relation}", relation)
        for at, relation in enumerate(relations)
    ]


OTHERS = [MutatedCase(f"alike.one.{at}", Case("c", b"o%d" % at), "") for at in range(60)]


def supplied(
    run: Callable[[Case], Run], made: Iterable[MutatedCase], quota: ProbeBudget | None = None
) -> tuple[ProbeGenerator, list[MutatedCase]]:
    """What is supplied of such cases and of others."""

    def run_original(case: Case, _mode: Mode) -> Run:
        return run(case)

    supply = ProbeGenerator(
        run_original, made, OTHERS, quota or ProbeBudget(), held_out=False, notify=lambda line: None
    )
    return supply, list(supply)


def test_relations_come_first() -> None:
    supply, found = supplied(lambda case: WELL, breaking("a", "b", "c", "a", "b"))
    assert [each.relation for each in found[:6]] == ["a", "b", "c", "a", "b", ""]
    assert sum(each.because == "" for each in found) == ProbeBudget().alike
    assert supply.left_out == ""


def test_another_input_is_tried_where_the_original_fails() -> None:
    _, found = supplied(lambda case: FAILS if case.stdin == b"b0" else WELL, breaking("a", "b", "a", "b"))
    assert [(each.relation, each.error is not None) for each in found[:3]] == [("", True), ("b", False), ("a", False)]


def test_no_more_relations_than_are_asked_for() -> None:
    made = breaking(*map(str, range(30)), *map(str, range(30)))
    _, found = supplied(lambda case: WELL, made, ProbeBudget(alike=1, beyond=0, relations=5))
    assert [each.relation for each in found] == ["0", "1", "2", "3", "4", ""]


def test_what_is_asked_hangs_on_cpu_time_alone_and_what_is_left_out_is_said() -> None:
    slow = replace(WELL, cpu_s=0.9, wall_s=1.0)
    busy = replace(slow, wall_s=2.0, runqueue_wait_s=1.0)
    made = breaking(*"abcdefghij")
    supply, found = supplied(lambda case: slow, made)
    again, others = supplied(lambda case: busy, made)
    assert [each.case.name for each in found] == [each.case.name for each in others]
    few = [each.relation for each in found if each.relation]
    assert few == [*"abcdefghij"][: int(ALL_CPU_S / 0.9) + 1]
    assert f"{10 - len(few)} relations of the known inputs could not be broken" in supply.left_out
    assert "mutated inputs were tried" in supply.left_out
    assert supply.left_out == again.left_out
    assert any(not each.relation for each in found), "the others have time of their own"


def test_an_original_that_takes_too_long_is_not_asked_for_ever() -> None:
    asked: list[bytes] = []

    def run(case: Case) -> Run:
        asked.append(case.stdin)
        return TOO_LONG if case.stdin.startswith(b"b") else WELL

    supply, found = supplied(run, breaking(*"abcdefgh"))
    assert sum(data.startswith(b"b") for data in asked) == MOST_TOO_LONG
    assert f"{8 - MOST_TOO_LONG} relations" in supply.left_out
    assert not [each for each in found if each.relation]


def test_few_inputs_with_the_same_error_are_enough() -> None:
    _, found = supplied(lambda case: FAILS, breaking(*"abcdefgh"))
    assert len([each for each in found if each.error]) == 2 * MOST_OF_AN_ERROR


def test_that_no_relation_is_broken_is_said_also_of_many_inputs() -> None:
    _, found = supplied(lambda case: FAILS if case.stdin.startswith(b"b") else WELL, breaking("a", "b"))
    none = DifferentialTest(InputPolicy(), found)
    assert len(none.cases) >= FEW
    assert none.pattern_breaking_inputs == 0
    assert none.missing == (NONE_BROKEN,)
    _, found = supplied(lambda case: FAILS if case.stdin == b"b0" else WELL, breaking("a", "b"))
    one = DifferentialTest(InputPolicy(), found)
    assert one.pattern_breaking_inputs == 1
    assert one.missing == ()
