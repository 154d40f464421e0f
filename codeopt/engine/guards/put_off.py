"""Where a gain in the timed calls is not believed: in the very runs that were compared their work was done before or
after them, or by another process.

All of it is known from these runs, as a process that never runs the draft reads the clocks; a draft cannot behave in
another way while it is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from codeopt.engine.guards import Consequence, Finding, Gain, TimedRegion, guard
from codeopt.workloads.function.timing.plan import CallPlan
from codeopt.workloads.function.timing.runs import TimedRuns, side_by_side
from codeopt_sandbox.call_answer import CallTiming

HALF = 0.5
"""More of the gain than this must be left."""
BESIDE_S, ELSEWHERE_S, SHARE = 0.0002, 0.001, 0.05
"""What a pass may take more around its calls, and a fork of it elsewhere, that is nobody's work; and this share of what
the original takes there."""
FEW = 0.15
"""A gain that is there shows in more of the pairs than this: of eight, two."""
SPREADS = 3.0
"""Standard errors of what the runs have more, which they must pass."""


@guard(region=TimedRegion.CALLS, order=5, every_round=True)
def check_gain(gain: Gain) -> Finding | None:
    """What the calls take less must not be taken elsewhere."""
    clock = gain.comparison.clock
    if not isinstance(gain.plan, CallPlan) or not isinstance(gain.workload.runner, TimedRuns) or clock == "memory":
        return None
    runner, stdin = gain.workload.runner, gain.plan.cases[0].stdin
    pairs = side_by_side(*(runner.of_batch(source, stdin) for source in (gain.original, gain.draft)))
    if not pairs:
        return None
    wall, passes = clock == "wall", len(pairs[0][0].cpu)
    won = [sum(old.wall if wall else old.cpu) - sum(new.wall if wall else new.cpu) for old, new in pairs]
    around = [(_around(old, wall), _around(new, wall)) for old, new in pairs]
    if shifted(around, won, BESIDE_S * passes):
        return _finding(around, won, "before or after them: the work was moved there")
    apart = [] if wall else [(old.elsewhere_s, new.elsewhere_s) for old, new in pairs]
    if apart and shifted(apart, won, ELSEWHERE_S * passes):
        return _finding(apart, won, "in other processes: the work was moved there")
    return None


def _around(timing: CallTiming, wall: bool) -> float:
    return sum(timing.beside_wall if wall else timing.beside)


def shifted(pairs: Sequence[tuple[float, float]], won: Sequence[float], noise: float) -> bool:
    """Whether the second of each pair is plainly more than the first, by most of what was won in the calls, and hardly
    a pair shows a gain without that: seconds.

    Where a processor has two speeds the middle alone may be so by chance.
    """
    more = [after - before for before, after in pairs]
    middle = median(more)
    spread = 1.4826 * median(abs(each - middle) for each in more)  # a standard deviation, of normal noise
    error = 1.2533 * spread / math.sqrt(len(more))  # of the median
    usual, slack = max(median(won), 0.0), noise + SHARE * median(before for before, _ in pairs)
    shown = [gained - extra + slack >= HALF * usual for gained, extra in zip(won, more, strict=True)]
    return middle > HALF * usual + SPREADS * error + slack and sum(shown) <= FEW * len(shown)


def _finding(pairs: Sequence[tuple[float, float]], won: Sequence[float], where: str) -> Finding:
    more = median(after - before for before, after in pairs)
    reason = f"its calls take {median(won) * 1000:.2g} ms less, but {more * 1000:.2g} ms more are spent {where}"
    return Finding(Consequence.NO_GAIN, reason)
