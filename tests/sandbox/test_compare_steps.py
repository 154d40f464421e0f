"""How pairs are made, what is taken of each, and what is decided, with scripted runs: no clock decides."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from codeopt_sandbox.compare import (
    Decision,
    Plan,
    Series,
    StoppingRule,
    compare,
    decide,
    lower_half_mean,
    make_plan,
    measured_value,
)
from codeopt_sandbox.errors import OriginalUnsteady
from codeopt_sandbox.outcome import Case, Cause, Run, WrittenFile
from codeopt_sandbox.sequential_test import LimitAnswer, LimitRule, interval, log_e_value, rejects_null
from codeopt_sandbox.verdict import check_tokens
from tests.support.candidates import run
from tests.support.scripted import Asked, ScriptedRunner

CASE, OTHER = Case("one", b"1", b"1"), Case("other", b"2", b"2")
PLAN = Plan((CASE,), "cpu", 1)
EVEN = StoppingRule(max_pairs=40, worth_having=1.0001)


def scripted(seconds: Callable[[Asked], float], **fields: object) -> ScriptedRunner:
    """Runs that print their input and take so many seconds by every clock."""

    def gives(asked: Asked) -> Run:
        took = seconds(asked)
        return run(stdout=asked.stdin, **{"cpu_s": took, "wall_s": took, **fields})

    return ScriptedRunner(gives)


def compared(runner: ScriptedRunner, **other: Any) -> Any:
    return compare(runner, "old", "new", other.pop("plan", PLAN), **other)


def orders(seed: int) -> list[tuple[str, str]]:
    """The programs of each pair in the order of their runs, of two that are even to the last bit."""
    runner = scripted(lambda asked: 0.2)
    compared(runner, rule=replace(EVEN, seed=seed))
    programs = [asked.program for asked in runner.asked]
    return list(zip(programs[::2], programs[1::2], strict=True))


def test_pairs_are_in_random_order_which_the_seed_sets() -> None:
    found = orders(1)
    assert all(set(pair) == {"old", "new"} for pair in found)
    assert 0.25 * len(found) <= sum(pair == ("old", "new") for pair in found) <= 0.75 * len(found)
    turns = sum(one != other for one, other in zip(found, found[1:], strict=False))
    assert 0.2 * len(found) <= turns <= 0.8 * len(found)  # nor in turn
    assert found == orders(1)
    assert found != orders(2)


def test_of_several_runs_in_a_pair_the_slow_half_says_nothing() -> None:
    assert lower_half_mean([1.0, 9.0, 2.0, 50.0]) == 1.5
    assert lower_half_mean([7.0, 1.0, 4.0]) == 2.5
    assert lower_half_mean([3.0]) == 3.0
    count = {"old": 0, "new": 0}

    def seconds(asked: Asked) -> float:
        count[asked.program] += 1
        return 20.0 if asked.program == "new" and count["new"] % 4 == 0 else 0.2 if asked.program == "old" else 0.1

    found = compared(scripted(seconds), plan=replace(PLAN, repeats=4))
    assert found.decision is Decision.FASTER
    assert found.ratio == pytest.approx(2.0)


def test_a_short_program_that_is_hard_to_decide_is_run_more_often_in_a_pair() -> None:
    short = replace(PLAN, repeats=3, short=True)
    assert [short.runs(pairs) for pairs in (0, 7, 8, 100)] == [3, 3, 6, 6]
    assert [replace(short, short=False).runs(pairs) for pairs in (0, 8)] == [3, 3]


@pytest.mark.parametrize(
    ("old_s", "new_s", "rule", "decision", "pairs"),
    [
        (3.5, 0.1, StoppingRule(max_seconds=0.0), Decision.FASTER, 4),
        (3.5, 0.1, StoppingRule(max_seconds=0.0).final(0.8), Decision.FASTER, 4),
        (3.5, 0.1, StoppingRule(max_pairs=4), Decision.FASTER, 4),
        (0.1, 3.5, StoppingRule(max_seconds=0.0), Decision.SLOWER, 4),
        (3.5, 0.1, StoppingRule(), Decision.FASTER, 8),  # cheap pairs: a narrower interval
        (0.29, 0.1, StoppingRule(), Decision.FASTER, 8),
        (0.1, 0.102, StoppingRule(worth_having=1.0001, tolerated=0.05), Decision.SAME, 8),
    ],
)
def test_a_large_ratio_and_a_tolerated_slowdown_end_early(
    old_s: float, new_s: float, rule: StoppingRule, decision: Decision, pairs: int
) -> None:
    found = compared(scripted(lambda asked: old_s if asked.program == "old" else new_s), rule=rule)
    assert (found.decision, found.pairs) == (decision, pairs)
    assert 0 < found.ci_low <= found.ratio <= found.ci_high < math.inf


def test_every_timed_case_counts() -> None:
    def seconds(asked: Asked) -> float:
        return {("old", b"1"): 0.3, ("new", b"1"): 0.1, ("old", b"2"): 0.1, ("new", b"2"): 0.3}[
            asked.program, asked.stdin
        ]

    found = compared(scripted(seconds), plan=replace(PLAN, cases=(CASE, OTHER)))
    assert [each.ratio for each in found.cases] == pytest.approx([3.0, 1 / 3])
    assert found.ratio == pytest.approx(1.0)
    assert found.decision is not Decision.FASTER


def test_each_clock_reads_its_own_figure() -> None:
    each = run(cpu_s=0.25, wall_s=0.5, peak_bytes=1000)
    assert [measured_value(each, clock) for clock in ("cpu", "wall", "memory")] == [0.25, 0.5, 1000.0]
    assert measured_value(run(cpu_s=0.0), "cpu") > 0


def test_a_screening_errs_once_in_twenty_and_a_comparison_once_in_a_hundred() -> None:
    """By what it takes of steady gains: 7 pairs and 8 win their bets."""
    for rule, pairs in ((StoppingRule().screening(), 7), (StoppingRule(), 8)):
        found = compared(scripted(lambda asked: 0.2 if asked.program == "old" else 0.1), rule=rule)
        assert (found.decision, found.pairs) == (Decision.FASTER, pairs)


def test_an_interval_leaves_half_of_its_error_to_either_side() -> None:
    """Each end is where a test at alpha / 2 begins to reject."""
    differences = [0.1 + 0.01 * math.sin(3 * n) for n in range(40)]
    for alpha in (0.05, 0.2):
        low, high = interval(differences, alpha)
        step = 1e-5
        assert rejects_null(differences, low - step, 1, alpha / 2)
        assert not rejects_null(differences, low + step, 1, alpha / 2)
        assert rejects_null(differences, high + step, -1, alpha / 2)
        assert not rejects_null(differences, high - step, -1, alpha / 2)


def test_the_interval_that_is_told_is_that_of_the_pairs_at_its_stated_confidence() -> None:
    count = {"runs": 0}

    def seconds(asked: Asked) -> float:
        count["runs"] += 1
        return (0.22 if asked.program == "old" else 0.2) * (1 + 0.1 * math.sin(count["runs"]))

    found = compared(scripted(seconds), rule=StoppingRule(min_pairs=25, max_pairs=25))
    (times,) = found.cases
    differences = [math.log(old / new) for old, new in zip(times.original, times.candidate, strict=True)]
    low, high = interval(differences, 0.05)
    assert (found.ci_low, found.ci_high, found.confidence) == pytest.approx((math.exp(low), math.exp(high), 0.95))
    assert found.ci_low < found.ratio < found.ci_high


def test_so_many_pairs_as_the_rule_asks_for_are_timed_however_clear_it_is() -> None:
    found = compared(scripted(lambda asked: 0.2 if asked.program == "old" else 0.1), rule=StoppingRule(min_pairs=12))
    assert (found.decision, found.pairs) == (Decision.FASTER, 12)


@pytest.mark.parametrize("rule", [StoppingRule(), StoppingRule().final(), StoppingRule().final(0.5)])
@pytest.mark.parametrize("seconds", [0.2, 0.1, 0.4])
def test_a_verdict_has_an_interval(rule: StoppingRule, seconds: float) -> None:
    """However few pairs are enough for the answer that neither is faster."""
    found = compared(scripted(lambda asked: 0.2 if asked.program == "old" else seconds), rule=rule)
    assert found.decision is {0.2: Decision.SAME, 0.1: Decision.FASTER, 0.4: Decision.SLOWER}[seconds]
    assert 0 < found.ci_low <= found.ratio <= found.ci_high < math.inf


def test_one_outlier_ends_no_game_and_one_lost_bet_none_either() -> None:
    assert log_e_value([1e9], 0.0, 1) < math.log(2)
    assert not rejects_null([*[1.0] * 5, 1e9], 0.0, 1, 0.01)
    assert rejects_null([*[1.0] * 8, -1.0, *[1.0] * 12], 0.0, 1, 1e-3)


def test_what_was_certain_once_stays_certain() -> None:
    won = [1.0] * 8
    assert log_e_value([*won, *[-1.0] * 8], 0.0, 1) == log_e_value(won, 0.0, 1)


@pytest.mark.parametrize(
    ("fields", "overrun"),
    [({"stop": "time"}, True), ({"exit": 1}, False), ({"exit": 1, "late": Cause.OVERRUN}, True)],
)
def test_a_draft_that_took_too_long_is_told_from_one_that_is_wrong(fields: dict[str, Any], overrun: bool) -> None:
    late = fields.pop("late", None)

    class CallRun(Run):
        @property
        def cause(self) -> Cause | None:
            return late

    def gives(asked: Asked) -> Run:
        right = run(stdout=asked.stdin)
        return CallRun(**{**vars(right), **fields}) if asked.program == "new" else right

    found = compared(ScriptedRunner(gives))
    assert found.decision is Decision.WRONG
    assert found.overrun is overrun


def test_an_original_that_fails_now_and_then_is_no_fault_of_the_draft() -> None:
    count = {"old": 0}

    def gives(asked: Asked) -> Run:
        count["old"] += asked.program == "old"
        return run(stdout=b"7" if asked.program == "old" and count["old"] == 3 else asked.stdin)

    with pytest.raises(OriginalUnsteady, match="now and then"):
        compared(ScriptedRunner(gives))


LONG = [replace(CASE, name=str(tenths), stdin=b"%d" % tenths, expected=None) for tenths in (10, 4, 2, 1)]


@pytest.mark.parametrize(
    ("enough", "most", "timed"), [(0.1, 3, "10"), (1.2, 3, "10 4"), (60, 9, "10 4"), (60, 1, "10")]
)
def test_cases_are_added_until_they_take_long_enough_if_they_are_nearly_as_long(
    enough: float, most: int, timed: str
) -> None:
    rule = StoppingRule(enough_seconds=enough, timed_cases=most)
    plan = make_plan(scripted(lambda asked: int(asked.stdin) / 10), "old", LONG[::-1], check_tokens, rule)
    assert [case.name for case in plan.cases] == timed.split()
    assert plan.longest_s == 1.0


def test_a_short_run_that_was_disturbed_once_is_not_the_longest() -> None:
    count: dict[bytes, int] = {}

    def seconds(asked: Asked) -> float:
        count[asked.stdin] = count.get(asked.stdin, 0) + 1
        return 0.049 if asked.stdin == b"1" and count[b"1"] == 1 else {b"1": 0.001, b"2": 0.01}[asked.stdin]

    plan = make_plan(scripted(seconds), "old", [CASE, OTHER], check_tokens, StoppingRule(enough_seconds=0.001))
    assert [case.name for case in plan.cases] == ["other"]


@pytest.mark.parametrize(("enough", "runs"), [(0.001, 6), (0.05, 8)])
def test_only_what_may_be_the_longest_runs_again(enough: float, runs: int) -> None:
    """Four short cases run once, and those that are timed twice more."""
    runner = scripted(lambda asked: int(asked.stdin) / 100)
    cases = [Case(str(number), str(number).encode()) for number in range(1, 5)]
    make_plan(runner, "old", cases, check_tokens, StoppingRule(enough_seconds=enough, timed_cases=3))
    assert len(runner.asked) == runs


@pytest.mark.parametrize(
    ("cpu", "wall", "waited", "clock"),
    [(0.95, 1.0, 0.0, "cpu"), (0.5, 1.0, 0.0, "wall"), (0.5, 1.0, 0.45, "cpu"), (0.2, 1.0, 0.1, "wall")],
)
def test_load_does_not_choose_the_clock(cpu: float, wall: float, waited: float, clock: str) -> None:
    """What others took of the processor is no waiting of the program's."""
    runner = scripted(lambda asked: wall, cpu_s=cpu, runqueue_wait_s=waited)
    assert make_plan(runner, "old", [CASE], check_tokens, StoppingRule()).metric == clock


@pytest.mark.parametrize(("computing", "clock", "runs"), [(2, "cpu", 2), (3, "cpu", 3), (9, "wall", 3)])
def test_a_run_that_was_disturbed_does_not_choose_the_clock(computing: int, clock: str, runs: int) -> None:
    """Two runs of a program that computes look as if they waited, the third does not; what always waits, waits."""
    runner = scripted(lambda asked: 1.0)
    runner.gives = lambda asked: run(
        stdout=asked.stdin, wall_s=1.0, cpu_s=0.99 if len(runner.asked) >= computing else 0.5
    )
    assert make_plan(runner, "old", [CASE], check_tokens, StoppingRule()).metric == clock
    assert len(runner.asked) == runs


def test_cpu_time_that_became_waiting_is_no_gain_and_what_is_slower_is_said_at_the_same_error() -> None:
    """An error of 1 % asks for more pairs than giving up does, at 4 %."""
    falling = Series("cpu", differences=[-1.0] * 7, wall=[-1.0] * 7)
    assert decide(falling, StoppingRule())[0] is not Decision.SLOWER
    falling = Series("cpu", differences=[-1.0] * 8, wall=[-1.0] * 8)
    assert decide(falling, StoppingRule())[0] is Decision.SLOWER
    little = Series("cpu", differences=[1.0] * 30, wall=[0.01 * (-1) ** n for n in range(30)])
    assert decide(little, StoppingRule())[0] is Decision.SAME


@pytest.mark.parametrize(("longer", "answer"), [(0.08, LimitAnswer.INCONCLUSIVE), (0.0, LimitAnswer.PASS)])
def test_a_limit_does_not_hold_by_cpu_time_while_the_wall_looks_as_if_it_broke_it(
    longer: float, answer: LimitAnswer
) -> None:
    """Noise of 3 % by the wall: a few pairs of as much CPU time cannot tell of 8 % more waiting."""
    wall = [-math.log1p(longer) + 0.03 * (-1) ** n for n in range(9)]
    series = Series("cpu", differences=[0.002 * (-1) ** n for n in range(9)], wall=wall)
    assert series.answer(LimitRule(0.05))[0] is answer


def test_pairs_past_the_time_there_is() -> None:
    """Ten: fewer would lose what they took."""
    rule = StoppingRule(min_pairs=100, max_seconds=0.0)
    assert compared(scripted(lambda asked: 0.2), rule=rule).pairs == 10


def test_pairs_go_on_for_the_sake_of_a_limit_when_the_decision_is_made() -> None:
    """Even programs, 3 % of noise: less than 5 % faster is certain sooner than that a limit of 2 % holds."""
    count = {"runs": 0}

    def seconds(asked: Asked) -> float:
        count["runs"] += 1
        return 0.2 * (1 + 0.03 * math.sin(7 * count["runs"]))

    alone = compared(scripted(seconds), rule=StoppingRule())
    limited = compared(scripted(seconds), rule=StoppingRule(limit=LimitRule(0.02)))
    assert alone.decision is limited.decision is Decision.SAME
    assert limited.pairs > alone.pairs
    assert limited.limit
    assert limited.limit.answer is LimitAnswer.PASS
    never = compared(scripted(seconds), rule=StoppingRule(limit=LimitRule(0.0001, max_pairs=60)))
    assert never.limit
    assert (never.limit.answer, never.pairs) == (LimitAnswer.INCONCLUSIVE, 60)
    soon = compared(scripted(seconds), rule=StoppingRule(limit=LimitRule(0.0001, max_seconds=0.0)))
    assert (soon.decision, soon.pairs) == (Decision.SAME, StoppingRule().fewest)


def test_pairs_for_the_sake_of_a_limit_count_for_the_decision_too() -> None:
    """2 % slower: the same as far as anybody would change it, until a limit asks for more pairs, which show it."""

    def seconds(asked: Asked) -> float:
        return 0.2 * (1.02 if asked.program == "new" else 1.0) * math.exp(draw.gauss(0, 0.015))

    draw = random.Random(3)
    assert compared(scripted(seconds)).decision is Decision.SAME
    draw = random.Random(3)
    found = compared(scripted(seconds), rule=StoppingRule(limit=LimitRule(0.0001)))
    assert found.limit
    assert (found.limit.answer, found.decision) == (LimitAnswer.FAIL, Decision.SLOWER)


def test_what_goes_on_in_the_background_is_waited_for_before_anything_is_timed() -> None:
    runner = scripted(lambda asked: 0.2)
    compared(runner)
    assert runner.quiet_from == [0]


def test_a_short_program_is_run_as_often_in_a_pair_as_makes_it_long_enough() -> None:
    runner = scripted(lambda asked: 0.004)
    plan = make_plan(runner, "old", [CASE], check_tokens, StoppingRule(pair_seconds=0.02))
    assert (plan.repeats, plan.short) == (5, True)
    long = make_plan(scripted(lambda asked: 0.5), "old", [CASE], check_tokens, StoppingRule(pair_seconds=0.02))
    assert (long.repeats, long.short) == (1, False)


def test_files_that_the_original_writes_are_expected_of_the_draft() -> None:
    wrote = (WrittenFile("out.txt", b"1"),)
    runner = scripted(lambda asked: 0.2, written=wrote)
    (case,) = make_plan(runner, "old", [replace(CASE, files=())], check_tokens, StoppingRule()).cases
    assert case.written == wrote
