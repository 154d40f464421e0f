"""The comparison: its error, power and coverage in simulation, and what real programs get who are faster or pretend."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from codeopt_sandbox import Case, RunLimits, Sandbox
from codeopt_sandbox.compare import Decision, Series, StoppingRule, compare, decide
from codeopt_sandbox.sequential_test import interval
from tests.conftest import open_or_skip

Noise = Callable[[random.Random], float]
NOISES: dict[str, Noise] = {  # of one difference of logarithms between two equally fast programs
    "normal": lambda draw: draw.gauss(0, 0.05),
    "heavy tails": lambda draw: draw.gauss(0, 0.02) / max(0.02, abs(draw.gauss(0, 1))),
    "two levels": lambda draw: draw.choice((-1, 1)) * draw.choice((0.01, 0.6)),
    "many ties": lambda draw: draw.choice((0.0, 0.0, 0.02, -0.02)),
}
RULE = StoppingRule()


def simulated(
    noise: Noise, draw: random.Random, gain: float = 1.0, rule: StoppingRule = RULE
) -> tuple[Decision, Series]:
    """One comparison fed with made-up pairs, looked at after each as the real one is."""
    series = Series("cpu")
    decision = Decision.INCONCLUSIVE
    while decision is Decision.INCONCLUSIVE and len(series.differences) < rule.max_pairs:
        difference = math.log(gain) + noise(draw)
        series.differences.append(difference)
        series.wall.append(difference)
        decision, _ = decide(series, rule)
    return decision, series


def decisions(noise: Noise, tries: int, gain: float) -> Counter[Decision]:
    draw = random.Random(f"{gain}")
    return Counter(simulated(noise, draw, gain)[0] for _ in range(tries))


@pytest.mark.full
@pytest.mark.parametrize("noise", NOISES.values(), ids=NOISES)
def test_equally_fast_programs_are_seldom_called_faster_or_slower(noise: Noise) -> None:
    """Stated: 1 % each. Of 150 tries, 4 are more than that by chance in 7 % of all seeds; the seed is fixed."""
    found = decisions(noise, 150, 1.0)
    assert max(found[Decision.FASTER], found[Decision.SLOWER]) <= 3


@pytest.mark.full
@pytest.mark.parametrize(("gain", "least"), [(1.05, 0.80), (1.10, 0.97), (1.5, 1.0)])
def test_a_true_gain_is_found(gain: float, least: float) -> None:
    """With 5 % of noise in a pair's difference."""
    assert decisions(NOISES["normal"], 150, gain)[Decision.FASTER] >= least * 150


@pytest.mark.full
def test_a_true_loss_is_found() -> None:
    """A candidate is not called "the same" because "not faster" is certain before "slower"."""
    found = decisions(NOISES["normal"], 150, 1 / 1.10)
    assert found[Decision.SLOWER] >= 0.85 * 150
    assert found[Decision.FASTER] == 0
    assert decisions(NOISES["normal"], 150, 0.5)[Decision.SLOWER] == 150


def test_before_the_least_number_of_pairs_nothing_is_said() -> None:
    series = Series("cpu", differences=[1.0] * (RULE.min_pairs - 1), wall=[1.0] * (RULE.min_pairs - 1))
    assert decide(series, RULE) == (Decision.INCONCLUSIVE, "")


@pytest.mark.full
def test_the_interval_covers_the_truth_as_often_as_stated() -> None:
    """95 % stated, at the very moment that the comparison stops, which is when a naive interval fails."""
    draw, covered = random.Random(2), 0
    for _ in range(150):
        gain = draw.choice((1.0, 1.03, 1.08, 1.5))
        _, series = simulated(NOISES["normal"], draw, gain)
        low, high = interval(series.differences, 1 - RULE.interval)
        covered += low <= math.log(gain) <= high
    assert covered / 150 >= 0.95


@pytest.mark.parametrize(
    ("cpu", "wall", "decision"),
    [
        (1.0, 1.0, Decision.FASTER),
        (1.0, 0.6, Decision.FASTER),  # part of it was start-up
        (1.0, 0.3, Decision.FASTER),  # less, but surely less
        (1.0, 0.0, Decision.SAME),
        (1.0, -0.5, Decision.SLOWER),  # its interval by wall time lies wholly below 1
        (3.0, 0.0, Decision.SAME),
        (-1.0, 0.0, Decision.SLOWER),
        (0.0, 1.0, Decision.SAME),  # only moved to other cores
    ],
)
def test_cpu_time_and_wall_time_have_to_agree(cpu: float, wall: float, decision: Decision) -> None:
    draw = random.Random(3)
    series = Series("cpu")
    for _ in range(30):
        series.differences.append(cpu + draw.gauss(0, 0.02))
        series.wall.append(wall + draw.gauss(0, 0.02))
    assert decide(series, RULE)[0] is decision


# --- real programs -------------------------------------------------------------------------------

WORK = "n = int(input())\ntotal = 0\nfor i in range({} * n):\n    total += i & 3\nprint(n)\n"
SLOW, FAST = WORK.format(3), WORK.format(1)
SMALL, LARGE = Case("small", b"1000\n", b"1000\n"), Case("large", b"60000\n", b"60000\n")
QUICK = StoppingRule(max_pairs=12, pair_seconds=0.005)


@pytest.fixture(scope="module")
def guest() -> Iterator[Sandbox]:
    """Any backend that isolates: bubblewrap needs no engine."""
    with open_or_skip("bubblewrap", RunLimits(seconds=20)) as opened:
        yield opened


@pytest.mark.full
def test_three_times_as_fast(guest: Sandbox) -> None:
    found = compare(guest, SLOW, FAST, [SMALL, LARGE], rule=QUICK)
    assert found.decision is Decision.FASTER
    assert 2 < found.ratio < 4
    assert found.ci_low <= found.ratio <= found.ci_high
    assert (found.metric, found.confidence, found.alpha) == ("cpu", 0.95, 0.01)


@pytest.mark.full
def test_a_wrong_answer_in_a_timed_run_rejects(guest: Sandbox) -> None:
    wrong = FAST.replace("print(n)", "print(n + (n > 1000))")
    found = compare(guest, SLOW, wrong, [SMALL, LARGE], rule=QUICK)
    assert found.decision is Decision.WRONG
    assert "case large: wrong result: token 1: expected '60000', got '60001'" in found.reason


@pytest.mark.full
def test_an_original_that_fails_cannot_be_compared(guest: Sandbox) -> None:
    with pytest.raises(ValueError, match="the original fails case small: wrong result"):
        compare(guest, FAST, FAST, [replace(SMALL, expected=b"7")], rule=QUICK)
    with pytest.raises(ValueError, match="there is no case to time"):
        compare(guest, FAST, FAST, [], rule=QUICK)


BODY = "def part(n, step):\n    total = 0\n    for i in range(0, 3 * n, step):\n        total += i & 3\n\n\n"
FORK = """
import os, signal
{signal}
n = int(input())
readers = []
for _ in range({workers}):
    reader, writer = os.pipe()
    if not os.fork():
        {session}
        part(n, {workers})
        os.write(writer, b"x")
        os._exit(0)
    os.close(writer)
    readers.append(reader)
for reader in readers:
    os.read(reader, 1)
    os.read(reader, 1)
print(n)
"""
MOVED = {
    "two processes on one core": FORK.format(signal="", workers=2, session="pass"),
    "nobody waits for the workers": FORK.format(
        signal="signal.signal(signal.SIGCHLD, signal.SIG_IGN)", workers=2, session="pass"
    ),
    "a worker in a session of its own": FORK.format(signal="", workers=1, session="os.setsid()"),
    "an orphan": FORK.format(signal="", workers=1, session="if os.fork(): os._exit(0)"),
}


@pytest.mark.full
@pytest.mark.parametrize("moved", MOVED.values(), ids=MOVED)
def test_work_that_was_moved_is_not_faster(moved: str, isolated: Sandbox) -> None:
    """Up to two tries, as an error of 1 % is stated."""
    case, rule = Case("large", b"100000\n", b"100000\n"), replace(QUICK, max_pairs=20)
    original = BODY + "n = int(input())\npart(n, 1)\nprint(n)\n"
    found = [compare(isolated, original, BODY + moved, [case], rule=replace(rule, seed=seed)).decision for seed in (1,)]
    if found == [Decision.FASTER]:
        found.append(compare(isolated, original, BODY + moved, [case], rule=replace(rule, seed=2)).decision)
    assert found[-1] is not Decision.FASTER
    assert found[-1] is not Decision.WRONG
