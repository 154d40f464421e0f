"""Is a gain there, too, where a draft cannot know the answer: on new inputs, each in a fresh guest?

A table of known answers beside the slow code is right on every input, and so is a program that reads what its earlier
run left in one of the kernel's counters. Both are fast only on inputs that they have met.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from statistics import median

from codeopt.fuzzing import mutate_inputs, shorter
from sandbox import Sandbox
from sandbox.compare import Clock, Comparison, amount
from sandbox.judge import Checker, judge
from sandbox.outcome import Case, Verdict

LEAST_GAIN = 1.2
"""Smaller gains are not asked for: one run does not show them."""
ASKED, LOOKED_AT = 6, 12
"""On so many inputs that the original takes the gain is looked for; so many changed ones are tried to find those."""
AS_LONG = 0.3
"""A new input must take the original this share of what the timed case does."""
GAIN_SHARE = 1 / 3
"""Of the gain's logarithm that one of them must show: inputs differ in what they gain, a table gains nothing."""
LENGTHS = (0.95, 0.8)
"""A known input made a little shorter is mostly as valid as before."""


@dataclass(frozen=True)
class Meeting:
    """A candidate meets inputs for the first time, each in a guest in which it has never run."""

    sandbox: Sandbox
    original: str
    candidate: str
    check: Checker
    clock: Clock

    def ratios(self, inputs: Iterable[bytes], least: float) -> Iterator[float]:
        """How many times as fast it is on each input that can be used: both print the same, after `least` at least."""
        self.sandbox.restart_guest()
        for data in inputs:
            old = self.sandbox.run(self.original, data)
            took = amount(old, self.clock)
            if old.exit != 0 or old.stop or took < least:
                continue
            new = self.sandbox.run(self.candidate, data)
            self.sandbox.restart_guest()
            if judge(Case("new", data, old.stdout), new, self.check).verdict is Verdict.AC:
                yield took / amount(new, self.clock)


def gains_only_where_known(meeting: Meeting, timed: Case, found: Comparison, fresh: Sequence[Case] = ()) -> str:
    """Why a gain is not believed; empty when it is, or when it is too small to ask.

    timed: the case that took longest. Where no new input can be used it stands in, which still finds what remembers
    its earlier runs.
    """
    if found.ratio < LEAST_GAIN or meeting.clock == "memory":
        return ""
    usual = median(next(case for case in found.cases if case.case == timed.name).original)
    wanted = found.ratio**GAIN_SHARE
    best = _best(meeting.ratios(_new_inputs(timed, fresh), AS_LONG * usual), wanted)
    best = best or _best(meeting.ratios(repeat(timed.stdin, ASKED), 0.0), wanted)
    if not best or best >= wanted:
        return ""
    return (
        f"{found.ratio:.2f}x as fast on what it has met, {best:.2f}x on what it has not: it knows the cases, or "
        "remembers its earlier runs"
    )


def _best(ratios: Iterator[float], wanted: float) -> float:
    """The largest of the first few, or the first that is enough; 0 when there is none."""
    best = 0.0
    for ratio in islice(ratios, ASKED):
        best = max(best, ratio)
        if best >= wanted:
            break
    return best


def _new_inputs(timed: Case, fresh: Sequence[Case]) -> Iterator[bytes]:
    yield from sorted((case.stdin for case in fresh), key=len, reverse=True)
    yield from (data for data in shorter(timed.stdin, LENGTHS) if data != timed.stdin)
    changed = (mutated.stdin for mutated in mutate_inputs([timed.stdin], seed=3) if not mutated.beyond)
    yield from islice(changed, LOOKED_AT)
