"""Is a gain there, too, where a draft cannot know the answer: on new inputs, each in a fresh guest?

A table of known answers beside the slow code is right on every input, and so is a program that reads what its earlier
run left in one of the kernel's counters. Both are fast only on inputs that they have met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from statistics import median

from codeopt.core.words import factor
from codeopt.core.words import gain as speed
from codeopt.engine.guards import Consequence, Finding, Gain, TimedRegion, guard
from codeopt_sandbox.compare import measured_value
from codeopt_sandbox.outcome import Case, Verdict
from codeopt_sandbox.runner import run_on
from codeopt_sandbox.verdict import judge

MIN_GAIN = 1.2
"""Smallest ratio that is looked for: one run does not show a smaller one."""
ASKED = 6
"""Number of inputs that the original takes on which the gain is looked for."""
AS_LONG = 0.3
"""Share of the timed case's time that a new input must take the original."""
GAIN_SHARE = 1 / 3
"""Share of log(speedup) that at least one new input must show: inputs differ in their gain, a table gains nothing."""


@guard(region=TimedRegion.RUN, order=60)
def check_gain(gain: Gain) -> Finding | None:
    """The gain must be there on new inputs, too; small ones are not asked for.

    Where no new input can be used the case that took longest stands in, which still finds what remembers its earlier
    runs.
    """
    found, timed = gain.comparison, gain.plan.cases[0]
    if found.ratio < MIN_GAIN or found.clock == "memory":
        return None
    gain.notify("looking for the gain on new inputs")
    usual = median(next(case for case in found.cases if case.case == timed.name).original)
    wanted = found.ratio**GAIN_SHARE
    unseen = sorted(gain.unseen, key=lambda case: len(case.stdin), reverse=True)
    similar = gain.workload.similar_inputs(timed)
    best = _best(_ratios(gain, chain(unseen, similar), AS_LONG * usual), wanted)
    best = best or _best(_ratios(gain, repeat(timed, ASKED), 0.0), wanted)
    if not best or best >= wanted:
        return None
    reason = (
        f"{speed(found.ratio)} on what it has met, {factor(best)} on what it has not: it knows the cases, or "
        "remembers its earlier runs"
    )
    return Finding(Consequence.REJECT, reason)


def _ratios(gain: Gain, inputs: Iterable[Case], least: float) -> Iterator[float]:
    """The speedup on each input that can be used: both print the same, after `least` seconds of
    the original at least. Each input meets a guest in which the draft has never run."""
    runner, clock = gain.workload.runner, gain.comparison.clock
    runner.restart_guest()
    for case in inputs:
        old = run_on(runner, gain.original, case)
        took = measured_value(old, clock)
        if old.exit not in (0, case.exit) or old.stop or took < least:
            continue
        new = run_on(runner, gain.draft, case)
        runner.restart_guest()
        written = old.written if case.files is not None else None
        known = replace(case, expected=old.stdout, written=written, exit=old.exit)
        if judge(known, new, gain.workload.suite.check).verdict is Verdict.AC:
            yield took / measured_value(new, clock)


def _best(ratios: Iterator[float], wanted: float) -> float:
    """The largest of the first few, or the first that is enough; 0 when there is none."""
    best = 0.0
    for ratio in islice(ratios, ASKED):
        best = max(best, ratio)
        if best >= wanted:
            break
    return best
