"""Programs that do the same, timed next to each other: a quick answer for choosing among them, not for believing."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from statistics import median
from types import MappingProxyType

from codeopt_sandbox.compare import Plan, measured_value
from codeopt_sandbox.outcome import CaseVerdict, P, Runner, run_on
from codeopt_sandbox.sequential_test import hodges_lehmann
from codeopt_sandbox.verdict import Checker, judge

NOTHING_KNOWN: Mapping[int, float] = MappingProxyType({})
MIN_ROUNDS = 3
"""Minimum number of rounds, also past the time limit. In a round a program runs once, a short one several times."""
MAX_ROUNDS = 6
ROUND_S = 0.02
"""A program is repeated inside a round until it takes this long, or as often as the first needs for it."""
PLAIN = {1: 1.5, 2: 1.15}
"""Factor by number of rounds: a program that is slower by it in each of these rounds need not run again."""
KNOWN = 2.0
"""Factor by which a program whose value is known is slower than the first, so that it need not run."""


def time_variants(
    runner: Runner[P], programs: Sequence[P], plan: Plan, check: Checker, *, seconds: float = 2.0,
    known: Mapping[int, float] = NOTHING_KNOWN,
) -> tuple[float | None, ...]:  # fmt: skip
    """Return the time of each further program relative to the first; None for one that is wrong or fails.

    No round begins after `seconds`, once there were MIN_ROUNDS. A program that is plainly slower runs in the first
    rounds only, so the time goes to programs with similar times.

    known: values of right programs in an earlier run of the timed cases, by number.
    """
    laps: list[list[float]] = [[] for _ in programs]
    draw = random.Random(0)
    started = time.monotonic()
    first = _lap(runner, programs, [0], plan, check, 1, draw)  # warms up, and says how often to repeat
    if not first:
        return (None,) * (len(programs) - 1)
    slower = {which for which, took in known.items() if took > KNOWN * first[0]}
    running = set(range(len(programs))) - slower
    repeats = max(1, min(20, math.ceil(ROUND_S / first[0])))
    for number in range(MAX_ROUNDS):
        close = set()
        for which in running - {0}:
            apart = [a - b for a, b in zip(laps[which], laps[0], strict=False)]
            if not any(rounds <= len(apart) and min(apart) > math.log(ratio) for rounds, ratio in PLAIN.items()):
                close.add(which)
        if not close or (number >= MIN_ROUNDS and time.monotonic() - started > seconds):
            break
        lap = _lap(runner, programs, sorted({0, *close}), plan, check, repeats, draw)
        running -= {0, *close} - lap.keys()
        if 0 not in running:
            return (None,) * (len(programs) - 1)
        for which, took in lap.items():
            laps[which].append(math.log(took))
    usual = math.exp(median(laps[0])) if laps[0] else first[0]
    ratios = {which: known[which] / usual for which in slower}
    for which in filter(None, running):  # a robust mean over the rounds in which both programs ran
        ratios[which] = math.exp(hodges_lehmann([a - b for a, b in zip(laps[which], laps[0], strict=False)]))
    return tuple(map(ratios.get, range(1, len(programs))))


def _lap(
    runner: Runner[P],
    programs: Sequence[P],
    running: Sequence[int],
    plan: Plan,
    check: Checker,
    repeats: int,
    draw: random.Random,
) -> dict[int, float]:
    """Value of one round for each program that is right, summed over the timed cases."""
    sums = dict.fromkeys(running, 0.0)
    for case in plan.cases:
        found: dict[int, list[float]] = {which: [] for which in running}
        for _ in range(repeats):
            short = [which for which in running if sum(found[which]) < ROUND_S]
            for which in draw.sample(short, len(short)):
                run = run_on(runner, programs[which], case)
                if judge(case, run, check).verdict is CaseVerdict.AC:
                    found[which].append(measured_value(run, plan.metric))
                else:
                    sums.pop(which, None)
        for which in sums:
            sums[which] += median(found[which])
    return sums
