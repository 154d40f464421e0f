"""Is a draft that is faster on the timed calls slower on other shapes of them, or on small ones?"""

from __future__ import annotations

from codeopt.core.words import gain
from codeopt.workloads import Consequence, Finding, guard
from codeopt.workloads.function.timing.other_shapes import Regression, Sides
from codeopt.workloads.function.timing.plan import duration
from codeopt.workloads.function.workload import CallGain, FunctionWorkload
from codeopt_sandbox.caveat import Caveat, CaveatKind

MAX_TOLD = 3
"""Largest number of reported losses."""
SHOWN_CHARS = 120
"""Characters of a call that are shown."""
PASTED_CHARS = 1000
"""Characters of the longest call that can be pasted."""


@guard(order=70, every_round=True)
def check_gain(gain: CallGain) -> Finding | None:
    """A caveat for each shape on which the draft takes longer."""
    workload = gain.workload
    if not workload.shapes:
        return None
    gain.notify("timing other shapes of the calls")
    wall = gain.comparison.metric == "wall"
    sides = Sides(workload.runner, gain.original, gain.draft, gain.plan.timed, wall)
    found = tuple(_caveat(workload, loss) for loss in sides.losses(workload.shapes)[:MAX_TOLD])
    return Finding(Consequence.CAVEAT, "slower on other shapes", caveats=found) if found else None


def _caveat(workload: FunctionWorkload, loss: Regression) -> Caveat:
    call, more = loss.shape.calls[0], len(loss.shape.calls) - 1
    shown = workload.harness.names.shown(call)
    shown = shown if len(shown) <= SHOWN_CHARS else f"{shown[:SHOWN_CHARS]}... ({len(shown)} characters)"
    return Caveat(
        CaveatKind.SPEED,
        shown + f" and {more} more" * bool(more),
        f"takes {duration(loss.was)}",
        f"takes {duration(loss.now)}, {gain(1 / loss.ratio)}",
        f"slower, though not on what was timed: {loss.shape.name}",
        workload.line(call) if len(call) <= PASTED_CHARS else "",
    )
