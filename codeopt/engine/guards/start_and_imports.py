"""Note with the speedup of what a command itself does, apart from the start of the interpreter and from imports."""

from __future__ import annotations

from codeopt.engine.guards import Consequence, Finding, Gain, TimedRegion, guard
from codeopt.workloads.project.workload import ProjectWorkload


@guard(region=TimedRegion.RUN, order=95, applies_to="comparisons")
def check_gain(gain: Gain) -> Finding | None:
    """A note with the speedup of the rest, where start and imports are a part worth telling."""
    if not isinstance(gain.workload, ProjectWorkload):
        return None
    gain.notify("timing the interpreter's start and imports")
    found = gain.workload.measure_hot_region(gain.draft, gain.comparison)
    return Finding(Consequence.NOTE, found.words) if found else None
