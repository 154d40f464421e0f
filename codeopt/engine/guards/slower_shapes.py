"""Where is a draft slower, though it is faster on what was timed? Other shapes of the timed calls, and small ones."""

from __future__ import annotations

from codeopt.core.words import gain
from codeopt.engine.guards import Consequence, Finding, Gain
from codeopt.workloads import TimedRegion
from codeopt.workloads.function.timing.other_shapes import Loss, Sides
from codeopt.workloads.function.timing.plan import CallPlan, duration
from codeopt.workloads.function.workload import FunctionWorkload
from codeopt_sandbox.caveat import Caveat, Subject

ORDER = 70
REGION = TimedRegion.CALLS
ROUND = True
MOST, INPUT, PASTED = 3, 120, 1000
"""Losses that are told, characters of a call that is shown, and of one that can be pasted."""


def check(gain: Gain) -> Finding | None:
    """A caveat for each shape on which the draft takes longer."""
    workload, plan = gain.workload, gain.plan
    if not isinstance(workload, FunctionWorkload) or not isinstance(plan, CallPlan) or not workload.shapes:
        return None
    gain.notify("timing other shapes of the calls")
    wall = gain.comparison.clock == "wall"
    sides = Sides(workload.runner, gain.original, gain.draft, plan.timed, wall)
    found = tuple(_caveat(workload, loss) for loss in sides.losses(workload.shapes)[:MOST])
    return Finding(Consequence.CAVEAT, "slower on other shapes", caveats=found) if found else None


def _caveat(workload: FunctionWorkload, loss: Loss) -> Caveat:
    call, more = loss.shape.calls[0], len(loss.shape.calls) - 1
    shown = workload.bench.names.readable(call)
    shown = shown if len(shown) <= INPUT else f"{shown[:INPUT]}... ({len(shown)} characters)"
    return Caveat(
        Subject.SPEED,
        shown + f" and {more} more" * bool(more),
        f"takes {duration(loss.was)}",
        f"takes {duration(loss.now)}, {gain(1 / loss.ratio)}",
        f"slower, though not on what was timed: {loss.shape.name}",
        workload.line(call) if len(call) <= PASTED else "",
    )
