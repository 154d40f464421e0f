"""What differs between guests counts: it widens the interval, and a bias of one guest calls nothing faster."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeopt_sandbox.compare import Comparison, Decision, Plan, StoppingRule, compare
from codeopt_sandbox.outcome import Case, Run
from codeopt_sandbox.sequential_test import begins_guest, between, interval, margin, student_quantile
from tests.support.candidates import run
from tests.support.scripted import Asked, ScriptedRunner

PLAN = Plan((Case("one", b"1", b"1"),), "cpu", 1)
FINAL = StoppingRule().final()


@dataclass
class Guests:
    """Programs whose ratio is another in each guest: a scripted runner with noise of its own."""

    apart: float
    """Standard deviation of the logarithm of the ratio between guests."""
    noise: float = 0.01
    gain: float = 1.0
    seed: int = 0
    runner: ScriptedRunner = field(init=False)
    biases: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.draw = random.Random(f"{self.seed} {self.apart}")
        self.runner = ScriptedRunner(self._run)

    def _run(self, asked: Asked) -> Run:
        bias = self.biases.setdefault(self.runner.restarts, self.draw.gauss(0, self.apart))
        took = 0.2 * math.exp(self.draw.gauss(0, self.noise))
        took *= math.exp(bias) if asked.program == "old" else 1 / self.gain
        return run(stdout=asked.stdin, cpu_s=took, wall_s=took)

    def compared(self, rule: StoppingRule = FINAL) -> Comparison:
        return compare(self.runner, "old", "new", PLAN, rule=replace(rule, seed=self.seed))


@pytest.mark.parametrize(
    ("freedom", "chance", "known"),
    [(1, 0.975, 12.706), (2, 0.975, 4.303), (3, 0.99, 4.541), (4, 0.995, 4.604), (5, 0.995, 4.032), (10, 0.975, 2.228)],
)
def test_the_quantile_is_that_of_the_tables(freedom: int, chance: float, known: float) -> None:
    assert student_quantile(freedom, chance) == pytest.approx(known, abs=1e-3)


def test_what_pairs_explain_is_no_difference_between_guests() -> None:
    pairs = [-0.05, -0.02, 0.0, 0.02, 0.05]
    assert between([pairs, [each + 0.01 for each in pairs]]) == 0.0
    assert between([pairs, [each + 0.2 for each in pairs]]) == pytest.approx(0.02, rel=0.1)


def test_guests_that_differ_by_far_outweigh_the_prior() -> None:
    even = [0.0, 0.001, -0.001, 0.0, 0.001]
    alike, apart = even * 2, [*even, *(each + 0.2 for each in even)]
    assert margin(alike, [0, 5], 0.01) < 0.04
    assert margin(apart, [0, 5], 0.01) > 0.1


def test_a_clear_gain_is_confirmed_in_two_fresh_guests() -> None:
    guests = Guests(0.0, gain=2.0)
    found = guests.compared()
    assert (found.decision, found.pairs, found.guests) == (Decision.FASTER, 9, 2)
    assert guests.runner.restarts == 2
    assert [pairs for pairs in range(130) if begins_guest(pairs)] == [0, 5, *range(10, 130, 10)]


def test_a_screening_keeps_its_guest() -> None:
    guests = Guests(0.0, gain=2.0)
    assert guests.compared(StoppingRule().screening()).guests == 1
    assert guests.runner.restarts == 0


def test_the_interval_holds_what_guests_differ_in() -> None:
    """235x in one guest and 150x in the next: either is within."""
    guests = Guests(0.0, noise=0.002, gain=188.0, biases={1: math.log(235 / 188), 2: math.log(150 / 188)})
    found = guests.compared(replace(FINAL, max_pairs=10, min_pairs=10))
    assert found.ci_low < 150
    assert found.ci_high > 235


def test_the_interval_is_that_of_the_pairs_and_wider_by_the_margin() -> None:
    found = Guests(0.01, gain=1.5, seed=3).compared()
    (times,) = found.cases
    differences = [math.log(old / new) for old, new in zip(times.original, times.candidate, strict=True)]
    starts = [at for at in range(len(differences)) if begins_guest(at)]
    low, high = interval(differences, 0.05 * 2 / 3)
    apart = margin(differences, starts, 0.025 / 3)
    assert apart > 0.01
    assert (math.log(found.ci_low), math.log(found.ci_high)) == pytest.approx((low - apart, high + apart))


def shares(apart: float, gain: float, tries: int, rule: StoppingRule) -> tuple[float, float]:
    """Shares that are called faster, and whose interval holds the centre."""
    found = [Guests(apart, gain=gain, seed=seed).compared(rule) for seed in range(tries)]
    faster = sum(each.decision is Decision.FASTER for each in found) / tries
    return faster, sum(each.ci_low <= gain <= each.ci_high for each in found) / tries


def test_a_bias_of_a_guest_calls_nothing_faster() -> None:
    """Stated: 1 %, and 95 % of intervals; a bias of 2 % is in every pair of a guest, which no number of them shows."""
    assert shares(0.02, 1.0, 100, StoppingRule())[0] >= 0.04
    assert shares(0.02, 1.0, 100, FINAL)[0] <= 0.01
    assert shares(0.02, 1.1, 60, StoppingRule())[1] <= 0.75
    assert shares(0.02, 1.1, 60, FINAL)[1] >= 0.95


def test_what_is_faster_in_one_guest_alone_is_not_called_faster() -> None:
    """3 % in each pair of the one, 1.5 % in the other's: without an allowance for guests that decides."""
    biases = {1: 0.03, 2: 0.015}
    rule = replace(FINAL, max_pairs=10, min_pairs=10)
    found = Guests(0.0, noise=0.0001, biases=biases).compared(rule)
    assert found.decision is not Decision.FASTER
    assert found.ci_low <= 1.0
    assert Guests(0.0, noise=0.0001, gain=1.05, biases={1: 0.0, 2: 0.001}).compared(rule).decision is Decision.FASTER


def test_a_true_gain_is_found_beyond_what_guests_differ_in() -> None:
    assert shares(0.005, 1.10, 30, FINAL)[0] >= 0.9
    assert shares(0.01, 1.5, 20, FINAL)[0] == 1.0


def test_peaks_of_memory_that_do_not_differ_need_no_margin() -> None:
    peaks = ScriptedRunner(
        lambda asked: run(stdout=asked.stdin, peak_bytes=1000 if asked.program == "old" else 990, cpu_s=0.2)
    )
    rule = replace(FINAL, worth_having=1.001)
    found = compare(peaks, "old", "new", replace(PLAN, metric="memory"), rule=rule)
    assert found.decision is Decision.FASTER
    assert found.ci_low == pytest.approx(found.ratio, rel=1e-4)


@given(st.lists(st.floats(-1, 1), min_size=8, max_size=20), st.floats(0.0, 0.5), st.floats(0.001, 0.2))
def test_guests_that_lie_further_apart_widen_it(differences: list[float], apart: float, error: float) -> None:
    moved = [d + apart * (at >= 4) * (1 if sum(differences[4:]) >= sum(differences[:4]) else -1)
             for at, d in enumerate(differences)]  # fmt: skip
    assert 0 < margin(differences, [0, 4], error) < math.inf
    assert margin(moved, [0, 4], 0.001) >= margin(moved, [0, 4], 0.1)
    same = [1.0] * 8
    assert margin([d + apart * (at >= 4) for at, d in enumerate(same)], [0, 4], error) >= margin(same, [0, 4], error)


def test_before_a_guest_has_enough_pairs_nothing_is_known() -> None:
    assert margin([0.1, 0.1], [0], 0.01) == math.inf
    assert margin([0.1] * 9, [0, 4, 8], 0.01) == margin([0.1] * 8, [0, 4], 0.01)


@pytest.mark.parametrize(("share", "pairs"), [(1.0, 9), (0.1, 13)])
def test_as_many_pairs_as_can_decide(share: float, pairs: int) -> None:
    """Fewer that a user asks for could decide nothing, whatever they showed."""
    assert StoppingRule(max_pairs=8).final(share).max_pairs == pairs
    assert StoppingRule(max_pairs=50).final(share).max_pairs == 50
