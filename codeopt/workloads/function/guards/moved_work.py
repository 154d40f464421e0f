"""Guard: find time or memory that was moved out of the timed calls: before or after them, into another process, into
the module.

All data comes from the compared runs themselves. A process that never runs the draft reads the clocks, so the draft
cannot behave differently while it is observed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from codeopt.core.words import duration
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.harness import side_by_side
from codeopt.workloads.function.workload import CallGain
from codeopt_sandbox.calls import CallTiming

MIN_LEFT_SHARE = 0.5
"""Share of the gain that must be left."""


@guard(order=5, every_round=True)
def check_gain(gain: CallGain) -> Finding | None:
    """A finding where what the calls save is spent elsewhere."""
    return _kept_in_module(gain) if gain.comparison.metric == "memory" else _spent_elsewhere(gain)


def _kept_in_module(gain: CallGain) -> Finding | None:
    """A table made at the import, or a library that is newly imported, is in the memory of each process."""
    runner = gain.workload.runner
    was, now = (
        min(timing.imported_bytes for timing in runner.timings(side) if timing.imported_bytes)
        for side in (gain.original, gain.draft)
    )
    gained = sum(median(case.original) - median(case.candidate) for case in gain.comparison.cases)
    # bytes by which two processes that import the same may differ
    if now - was <= MIN_LEFT_SHARE * gained + (1 << 20):
        return None
    return Finding(
        Consequence.NO_GAIN,
        f"its calls take {gained / (1 << 20):.2g} MiB less at their peak, but its module, once it is imported, "
        f"{(now - was) / (1 << 20):.2g} MiB more",
    )


def _spent_elsewhere(gain: CallGain) -> Finding | None:
    """Time before or after the calls, or in other processes."""
    clock, runner, stdin = gain.comparison.metric, gain.workload.runner, gain.plan.cases[0].stdin
    pairs = side_by_side(*(runner.of_batch(side, stdin) for side in (gain.original, gain.draft)))
    if not pairs:
        return None
    wall, passes = clock == "wall", len(pairs[0][0].cpu)
    won = [sum(old.wall if wall else old.cpu) - sum(new.wall if wall else new.cpu) for old, new in pairs]
    around = [(_around(old, wall), _around(new, wall)) for old, new in pairs]
    # noise of a pass around its calls, seconds
    if shifted(around, won, 0.0002 * passes):
        return _finding(around, won, "before or after them: the work was moved there")
    apart = [] if wall else [(old.elsewhere_s, new.elsewhere_s) for old, new in pairs]
    # noise of a fork of a pass in other processes, seconds
    if apart and shifted(apart, won, 0.001 * passes):
        return _finding(apart, won, "in other processes: the work was moved there")
    return None


def _around(timing: CallTiming, wall: bool) -> float:
    return sum(timing.beside_wall if wall else timing.beside)


def shifted(pairs: Sequence[tuple[float, float]], won: Sequence[float], noise: float) -> bool:
    """Return whether the second value of each pair (seconds) is clearly larger, by most of the gain in the calls.

    Also few pairs may show a gain after the difference is subtracted: on a processor with two speeds the median alone
    can shift by chance.
    """
    more = [after - before for before, after in pairs]
    middle = median(more)
    spread = 1.4826 * median(abs(each - middle) for each in more)  # a standard deviation, of normal noise
    error = 1.2533 * spread / math.sqrt(len(more))  # of the median
    # noise as a share of the time that the original takes there; added to these
    usual, slack = max(median(won), 0.0), noise + 0.05 * median(before for before, _ in pairs)
    shown = [gained - extra + slack >= MIN_LEFT_SHARE * usual for gained, extra in zip(won, more, strict=True)]
    # share of the pairs that a real gain exceeds: two of eight
    # number of standard errors by which the extra time of the runs must exceed zero
    return middle > MIN_LEFT_SHARE * usual + 3.0 * error + slack and sum(shown) <= 0.15 * len(shown)


def _finding(pairs: Sequence[tuple[float, float]], won: Sequence[float], where: str) -> Finding:
    more = median(after - before for before, after in pairs)
    reason = f"its calls take {duration(median(won))} less, but {duration(more)} more are spent {where}"
    return Finding(Consequence.NO_GAIN, reason)
