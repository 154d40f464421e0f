"""Work that is done beside the calls, told from noise."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.engine.guards import Gain
from codeopt.workloads.function.guards import moved_work, shifted_cost
from codeopt.workloads.function.guards.moved_work import shifted
from codeopt.workloads.function.harness import TimedRuns
from codeopt.workloads.function.timing import CallPlan, Timed
from codeopt_sandbox.calls import CallBatch, CallTiming
from codeopt_sandbox.outcome import Case
from tests.support.candidates import comparison


@pytest.mark.parametrize(
    ("more", "won", "is_shifted"),
    [
        (0.0, 0.030, False),
        (0.030, 0.030, True),
        (0.020, 0.030, True),
        (0.010, 0.030, False),  # a part of it is cheaper to make than to show
        (0.0001, 0.0001, False),  # no more than noise
        (0.010, 0.0, True),
    ],
)
def test_most_of_a_gain_must_not_be_beside_the_calls(more: float, won: float, is_shifted: bool) -> None:
    draw = random.Random(1)
    pairs = [(0.002 + draw.gauss(0, 0.0002), 0.002 + more + draw.gauss(0, 0.0002)) for _ in range(8)]
    assert shifted(pairs, [won] * 8, 0.0002) is is_shifted


def test_a_noisy_machine_shifts_nothing() -> None:
    draw = random.Random(2)
    found = []
    for _ in range(2000):
        pairs = [(0.02 * draw.choice((1, 2)), 0.02 * draw.choice((1, 2))) for _ in range(8)]
        found.append(shifted(pairs, [0.03] * 8, 0.0002))
    assert sum(found) <= 2  # at two speeds, by chance, 0.0004 of them


def test_who_shifts_in_some_runs_alone_shifts() -> None:
    """In two of five he does the work where it is due, and has no gain there."""
    pairs = [(0.002, 0.032)] * 5 + [(0.002, 0.002)] * 3
    assert shifted(pairs, [0.030] * 5 + [0.0] * 3, 0.0002)


OLD, NEW = "old = 1\n", "new = 1\n"
PLAN = CallPlan((Case("timed", b""),), "cpu", 1, timed=Timed(CallBatch(("f(1)",), "time"), 0.01, 0.0, "one call"))


class Timings(TimedRuns):
    """Runs whose calls take 10 ms, 5 of the draft's, and of which the draft takes so much more time elsewhere."""

    more: dict[str, float] = {}  # noqa: RUF012

    def of_batch(self, program: Revision, stdin: bytes) -> list[CallTiming]:
        more = self.more if program.text == NEW else {}
        took, beside = 0.005 if program.text == NEW else 0.010, more.get("beside", 0.0)
        one = CallTiming(0.0, 0.0, (took,), (took,), 0.0, (beside,), (beside,), more.get("elsewhere", 0.0))
        return [one] * 8


def found_by(guard: Any, runner: TimedRuns, clock: str = "cpu") -> str:
    """The guard's words on a draft whose calls are twice as fast; empty where it has none."""
    workload: Any = SimpleNamespace(runner=runner, baseline=SimpleNamespace(revision=Revision.of(OLD)))
    found = guard.check_gain(Gain(workload, Revision.of(NEW), comparison(metric=clock), PLAN, (), lambda line: None))
    return found.reason if found else ""


@pytest.mark.parametrize(
    ("more", "clock", "said"),
    [
        ({}, "cpu", ""),
        ({"beside": 0.0026}, "cpu", ""),  # half of what is won, and 0.2 ms of noise
        ({"beside": 0.0028}, "cpu", "before or after them"),
        ({"beside": 0.0028}, "wall", "before or after them"),
        ({"elsewhere": 0.0034}, "cpu", ""),  # a fork has 1 ms of noise
        ({"elsewhere": 0.0036}, "cpu", "in other processes"),
        ({"elsewhere": 0.0036}, "wall", ""),  # of which that clock has its own
    ],
)
def test_what_is_spent_elsewhere_is_told_beyond_its_noise(more: dict[str, float], clock: str, said: str) -> None:
    runner = Timings(calls=None)  # type: ignore[arg-type]
    runner.more.clear()
    runner.more.update(more)
    found = found_by(moved_work, runner, clock)
    assert (said in found) if said else found == ""


@pytest.mark.parametrize(("disturbed", "refused"), [(0, False), (1, False), (2, True)])
def test_whole_runs_that_were_disturbed_once_are_looked_at_again(
    disturbed: int, refused: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter([shifted_cost.Finding(shifted_cost.Consequence.NO_GAIN, "shifted")] * disturbed + [None] * 2)
    monkeypatch.setattr(shifted_cost, "_looks_shifted", lambda *sides: next(looks))
    assert bool(found_by(shifted_cost, Timings(calls=None))) is refused  # type: ignore[arg-type]
