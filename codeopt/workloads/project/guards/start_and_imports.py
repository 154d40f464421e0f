"""Note with the speedup of what a command itself does, apart from the start of the interpreter and from imports."""

from __future__ import annotations

from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads.project.workload import ProjectWorkload
from codeopt_sandbox.compare import Plan


@guard(order=95, applies_to="comparisons")
def check_gain(gain: Gain[ProjectWorkload, Plan]) -> Finding | None:
    """Return a note with the speedup of the rest, if start and imports are a relevant part of the time."""
    gain.notify("timing the interpreter's start and imports")
    found = gain.workload.measure_hot_region(gain.draft, gain.comparison)
    return Finding(Consequence.NOTE, found.words) if found else None
