"""Guards that go by figures, with scripted runs: from which memory, gain, share and length on they speak."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from codeopt.core.revision import Revision
from codeopt.engine import guards
from codeopt.engine.guards import Consequence, Gain, TimedRegion, memorized, memory
from codeopt.workloads.function.guards import moved_work
from codeopt.workloads.function.guards.moved_work import shifted
from codeopt.workloads.function.guards.shifted_cost import OutsideTime, _is_gone, _moved
from codeopt.workloads.function.harness import TimedRuns
from codeopt_sandbox.compare import CaseTimes, Comparison, Plan
from codeopt_sandbox.outcome import Case, Run
from tests.support.candidates import comparison
from tests.support.scripted import CASES, FAST, SLOW, Asked, ScriptedRunner, ScriptedWorkload, echo

MIB = 1 << 20


def gain_of(gives: Callable[[Asked], Run], found: Comparison | None = None, **workload: Any) -> Gain:
    """A draft that was measured to be twice as fast on the first case."""
    times = (CaseTimes("a", (0.4,) * 9, (0.2,) * 9),)
    plan = Plan(CASES[:1], "cpu", 1)
    target: Any = ScriptedWorkload(ScriptedRunner(gives), **workload)
    return Gain(target, Revision.of(FAST), replace(found or comparison(), cases=times), plan, (), lambda line: None)


def peaks(old: int, new: int) -> Callable[[Asked], Run]:
    return lambda asked: replace(echo()(asked), peak_bytes={SLOW: old, FAST: new}[asked.program])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [(100, 201, True), (100, 199, False), (100, 1000, True), (10, 41, False), (10, 43, True), (100, 100, False)],
)
def test_twice_the_memory_and_32_mib_more_are_told(old: int, new: int, told: bool) -> None:
    found = memory.check_gain(gain_of(peaks(old * MIB, new * MIB)))
    assert (found is not None) is told
    assert found is None or (found.consequence, found.caveats[0].kind.value) == (Consequence.CAVEAT, "memory")
    assert memory.check_gain(gain_of(peaks(MIB, 900 * MIB), comparison(metric="memory"))) is None


def on_new_inputs(seconds: float, length: float = 0.4) -> Callable[[Asked], Run]:
    """FAST takes so long on inputs that it has not met, which take the original `length`."""

    def gives(asked: Asked) -> Run:
        took = {SLOW: 0.4, FAST: 0.2}[asked.program]
        if asked.stdin not in (b"1\n", b"2\n"):
            took = length if asked.program == SLOW else seconds
        return replace(echo()(asked), cpu_s=took, wall_s=took)

    return gives


LIKE = tuple(Case(f"like {number}", b"%d\n" % number) for number in range(10, 30))


@pytest.mark.parametrize(
    ("seconds", "ratio", "refused"),
    [
        (0.2, 2.0, False),
        (0.4, 2.0, True),
        (0.36, 2.0, True),  # 1.11x, where the cube root of 2 is 1.26
        (0.30, 2.0, False),
        (0.4, 1.19, False),  # so small a gain one run does not show
        (0.4, 1.21, True),
    ],
)
def test_a_third_of_a_gain_must_be_there_on_new_inputs(seconds: float, ratio: float, refused: bool) -> None:
    found = memorized.check_gain(gain_of(on_new_inputs(seconds), comparison(ratio=ratio), similar=LIKE))
    assert (found is not None) is refused
    assert found is None or found.consequence is Consequence.REJECT


def test_inputs_that_are_too_short_say_nothing_and_each_meets_a_fresh_guest() -> None:
    """A new input that takes the original less than three tenths is left out; the timed case stands in."""
    gain = gain_of(on_new_inputs(0.1, length=0.1), similar=LIKE)
    runner: Any = gain.workload.runner
    assert memorized.check_gain(gain) is None
    assert not [asked for asked in runner.asked if asked.program == FAST and asked.stdin != b"1\n"]
    gain = gain_of(on_new_inputs(0.4, length=0.4), similar=LIKE)
    assert memorized.check_gain(gain)
    runner = gain.workload.runner
    drafts = [asked for asked in runner.asked if asked.program == FAST]
    assert len(drafts) == memorized.ASKED == 6
    assert runner.restarts == 1 + len(drafts)


def test_a_new_input_on_which_the_draft_is_wrong_shows_no_gain() -> None:
    def gives(asked: Asked) -> Run:
        found = on_new_inputs(0.1)(asked)
        new = asked.program == FAST and asked.stdin not in (b"1\n", b"2\n")
        return replace(found, stdout=b"wrong") if new else found

    gain = gain_of(gives, similar=LIKE)
    assert memorized.check_gain(gain) is None  # by the timed case, which stands in
    runner: Any = gain.workload.runner
    assert runner.asked[-1] == Asked(FAST, b"1\n", "fork")


@pytest.mark.parametrize(("kept", "refused"), [(0, False), (5, False), (7, True), (60, True)])
def test_memory_that_the_module_keeps_instead_is_no_gain(kept: int, refused: bool) -> None:
    """The calls take 10 MiB less; half of it may be kept, and 1 MiB is noise."""

    class Timings(TimedRuns):
        def timings(self, program: Revision, stdin: bytes | None = None) -> list[Any]:
            return [SimpleNamespace(imported_bytes=(20 + kept * (program.text == FAST)) * MIB)]

    times = CaseTimes("timed", (30.0 * MIB,), (20.0 * MIB,))
    made: Any = SimpleNamespace(runner=Timings(calls=None), baseline=SimpleNamespace(revision=Revision.of(SLOW)))  # type: ignore[arg-type]
    found = replace(comparison(metric="memory"), cases=(times,))
    gain = Gain(made, Revision.of(FAST), found, Plan(CASES[:1], "memory", 1), (), lambda line: None)
    answer = moved_work.check_gain(gain)
    assert (answer is not None) is refused
    assert answer is None or answer.consequence is Consequence.NO_GAIN


@pytest.mark.parametrize(
    ("outside", "imported", "said"),
    [
        (0.0, 0.0, ""),
        (0.0, 0.007, "import"),  # half of 10 ms a pass, and 2 ms of noise
        (0.0, 0.0069, ""),
        (0.061, 0.0, "before or after"),  # half of 10 passes of 10 ms, and 10 ms of noise
        (0.059, 0.0, ""),
    ],
)
def test_what_a_gain_may_cost_elsewhere(outside: float, imported: float, said: str) -> None:
    why = _moved(0.010, 10, OutsideTime(0.0, 0.0), OutsideTime(outside, imported + 1e-9))
    assert (said in why) if said else not why


@pytest.mark.parametrize(("more", "moved"), [(0.001, False), (0.003, True)])
def test_a_dear_import_has_noise_of_its_own(more: float, moved: bool) -> None:
    """5 % of it; here 1 % and 3 % beyond."""
    noise = 0.05 * 0.1 + 0.002 + 0.5 * 0.0001
    before, after = OutsideTime(0.0, 0.1), OutsideTime(0.0, 0.1 + noise + more - 0.002)
    assert bool(_moved(0.0001, 1, before, after)) is moved


@pytest.mark.parametrize(
    ("ratios", "ratio", "gone"),
    [
        ([1.25] * 3, 2.0, True),
        ([1.27] * 3, 2.0, False),
        ([1.0] * 3, 1.19, False),  # so small a gain is not asked for
        ([1.0, 2.0, 1.0], 2.0, False),  # a processor with two speeds
        ([1.0, 1.0, 1.05], 700.0, True),
    ],
)
def test_a_third_of_a_gain_must_be_left_in_whole_runs(ratios: Sequence[float], ratio: float, gone: bool) -> None:
    assert _is_gone(ratios, ratio) is gone


def test_two_of_eight_pairs_without_extra_time_are_chance_and_three_are_a_gain() -> None:
    def pairs(honest: int) -> list[tuple[float, float]]:
        return [(0.002, 0.002)] * honest + [(0.002, 0.032)] * (10 - honest)

    assert shifted(pairs(1), [0.030] * 10, 0.0002)
    assert not shifted(pairs(2), [0.030] * 10, 0.0002)


def test_extra_time_that_is_all_over_the_place_is_noise() -> None:
    """More of it in each of eight pairs, of which the middle is known to no third of itself."""
    steady = [(0.002, 0.008)] * 8
    spread = [(0.002, 0.002 + more) for more in (0.0004, 0.0005, 0.0006, 0.002, 0.01, 0.03, 0.05, 0.06)]
    assert shifted(steady, [0.0] * 8, 0.0002)
    assert not shifted(spread, [0.0] * 8, 0.0002)


def test_what_is_told_goes_on_and_the_first_objection_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def guard_of(consequence: Consequence, order: int, **knobs: Any) -> Any:
        def check_gain(gain: Gain) -> guards.Finding:
            return guards.Finding(consequence, str(order))

        return guards.guard(order=order, **knobs)(check_gain)

    made = [
        guard_of(Consequence.NOTE, 1), guard_of(Consequence.CAVEAT, 2, applies_to="comparisons"),
        guard_of(Consequence.NOTE, 3, region=TimedRegion.CALLS), guard_of(Consequence.NOTE, 4, every_round=True),
        guard_of(Consequence.NO_GAIN, 5), guard_of(Consequence.REJECT, 6),
    ]  # fmt: skip
    monkeypatch.setattr(guards, "_guards", lambda *asked: made)
    gain = gain_of(echo())

    def asked(**how: bool) -> list[str]:
        return [found.reason for found in guards.gain_findings(gain, **how)]

    assert asked() == ["1", "2", "4", "5"]
    assert asked(faster=False) == ["2"]
    assert asked(in_round=True) == ["4"]
