"""Which changed inputs are asked for, in which order, and what is said to be left out.

The original is scripted, so that no clock decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from codeopt.workloads._judging import InputPolicy
from codeopt.workloads.program.differential import FEW, NONE_BROKEN, DifferentialTest
from codeopt.workloads.program.fuzzing import MutatedCase
from codeopt.workloads.program.probes import (
    ALL_CPU_S,
    MOST_OF_AN_ERROR,
    MOST_TOO_LONG,
    Changed,
    ProbeBudget,
    ProbeGenerator,
)
from codeopt_sandbox.outcome import Case, Mode, Run

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
) -> tuple[ProbeGenerator, list[Changed]]:
    """What is supplied of such cases and of others."""

    def run_original(case: Case, _mode: Mode) -> Run:
        return run(case)

    supply = ProbeGenerator(
        run_original, made, OTHERS, quota or ProbeBudget(), held_out=False, notify=lambda line: None
    )
    return supply, list(supply)


def names(found: Iterable[Changed]) -> list[str]:
    return [each.case.name for each in found]


def test_relations_come_first_and_each_is_broken_once() -> None:
    supply, found = supplied(lambda case: WELL, breaking("a", "b", "a", "c", "b"))
    assert [each.relation for each in found[:4]] == ["a", "b", "c", ""]
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
    assert names(found) == names(others)
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
