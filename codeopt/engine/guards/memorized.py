"""Guard: find the gain on new inputs also, each in a fresh sandbox process, as a draft cannot know their results.

A table of known results next to the slow code is right on every input. So is a program that reads the counters of the
kernel that its earlier run changed. Both are fast only on inputs that they have met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain, islice, repeat
from statistics import median

from codeopt.core.words import factor
from codeopt.core.words import gain as speed
from codeopt.engine.guards import AnyGain, Consequence, Finding, TimedRegion, guard
from codeopt_sandbox.compare import measured_value
from codeopt_sandbox.outcome import Case, CaseVerdict, Files, run_on
from codeopt_sandbox.verdict import judge

MIN_GAIN = 1.2
"""Smallest ratio that is looked for: one run does not show a smaller one."""
ASKED = 6
"""Number of inputs that the original takes on which the gain is looked for."""


@guard(region=TimedRegion.RUN, order=60)
def check_gain(gain: AnyGain) -> Finding | None:
    """Return a finding if the gain is missing on new inputs. Small gains are not checked.

    If no new input can be used, the case that took longest replaces it. It still finds a draft that remembers its
    earlier runs.
    """
    found, timed = gain.comparison, gain.plan.cases[0]
    if found.ratio < MIN_GAIN or found.metric == "memory":
        return None
    times = next(case for case in found.cases if case.case == timed.name)
    usual = median(times.original)
    # share of log(speedup) that at least one new input must show: inputs differ in their gain, a table gains nothing
    wanted = found.ratio ** (1 / 3)
    known = {_input(case) for case in gain.workload.suite.cases}  # which may be run once more in another environment
    alone = found.guests > 1 and gain.plan.runs(0) == 1  # the first pair is the draft's first run in a fresh guest
    if alone and _input(timed) not in known and times.original[0] >= wanted * times.candidate[0]:
        return None
    gain.notify("checking the gain on new inputs")
    new = [case for case in gain.unseen if _input(case) not in known]
    unseen = sorted(new, key=lambda case: len(case.stdin), reverse=True)
    similar = gain.workload.similar_inputs(timed)
    # share of the timed case's time that a new input must take the original
    best = _best(_ratios(gain, chain(unseen, similar), 0.3 * usual), wanted)
    best = best or _best(_ratios(gain, repeat(timed, ASKED), 0.0), wanted)
    if not best or best >= wanted:
        return None
    reason = (
        f"{speed(found.ratio)} on what it has met, {factor(best)} on what it has not: it knows the cases, or "
        "remembers its earlier runs"
    )
    return Finding(Consequence.REJECT, reason)


def _input(case: Case) -> tuple[bytes, tuple[str, ...], Files | None]:
    return case.stdin, case.args, case.files


def _ratios(gain: AnyGain, inputs: Iterable[Case], least: float) -> Iterator[float]:
    """The speedup on each input that can be used: both print the same, after `least` seconds of
    the original at least. Each input meets a guest in which the draft has never run."""
    runner, clock = gain.workload.runner, gain.comparison.metric
    runner.restart_guest()
    for case in inputs:
        old = run_on(runner, gain.original, case)
        took = measured_value(old, clock)
        if old.exit not in (0, case.exit) or old.stop or took < least:
            continue
        new = run_on(runner, gain.draft, case)
        runner.restart_guest()
        written = old.written if case.files is not None else None
        known = replace(case.expecting(old), written=written, exit=old.exit)
        if judge(known, new, gain.workload.suite.check).verdict is CaseVerdict.AC:
            yield took / measured_value(new, clock)


def _best(ratios: Iterator[float], wanted: float) -> float:
    """Return the largest of the first few ratios, or the first sufficient one. 0 without any."""
    best = 0.0
    for ratio in islice(ratios, ASKED):
        best = max(best, ratio)
        if best >= wanted:
            break
    return best
