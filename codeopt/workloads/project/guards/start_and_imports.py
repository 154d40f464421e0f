"""Note with the speedup of what a command itself does, apart from the interpreter's start and from imports: a short
command hides what its work gained."""

from __future__ import annotations

from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from codeopt.core.revision import Revision
from codeopt.core.words import factor
from codeopt.workloads import Consequence, Finding, Gain, guard
from codeopt.workloads.function.recording import Instrument
from codeopt.workloads.project.runs import CommandRuns
from codeopt.workloads.project.watch import watched_run
from codeopt.workloads.project.workload import ProjectWorkload
from codeopt_sandbox.compare import Comparison, Decision, Plan

START = Instrument("profile.start_and_end")
ALIKE = 0.15
"""Maximum difference in start and imports of both versions, as a share of the smaller value or of the rest.

With a larger difference a version has moved work into or out of its imports, and no part can be separated.
"""
_Times = tuple[float, float]
"""CPU seconds of start and imports, and of the whole."""


@guard(order=95, applies_to="comparisons")
def check_gain(gain: Gain[ProjectWorkload, Plan]) -> Finding | None:
    """Return a note with the speedup of the rest, if start and imports are a relevant part of the time."""
    gain.notify("timing the interpreter's start and imports")
    workload = gain.workload
    workload.apart.clear()
    if workload.timed_command or workload.benches:
        return None
    region = hot_region(workload.runner, workload.program.revision, gain.draft, gain.comparison)
    if region is None:
        return None
    workload.apart.append(region.to_json())
    return Finding(Consequence.NOTE, region.words)


def hot_region(runs: CommandRuns, original: Revision, draft: Revision, found: Comparison) -> HotRegion | None:
    """Time start and imports of both versions by turns. `found` is the comparison of the whole.

    Returns None if start and imports take next to no time, or cannot be measured.
    """
    if found.metric != "cpu":
        return None
    sides: tuple[list[_Times], list[_Times]] = ([], [])
    # Number of runs of each version
    for _ in range(3):
        for revision, times in zip((original, draft), sides, strict=True):
            measured = _measured(runs, revision)
            if measured is None:
                return None
            times.append(measured)
        # Minimum share of start and imports that is shown, 0 to 1
        if max(apart_s / whole_s for (apart_s, whole_s), *_ in sides) < 0.05:
            return None
        # CPU time of a command from which on it is run once
        if sides[0][0][1] > 5.0:
            break
    return apart(*(StartTime(*zip(*times, strict=True)) for times in sides), found=found)


def _measured(runs: CommandRuns, version: Revision) -> _Times | None:
    """CPU seconds of start and imports, and of the whole; None where the command did not end as it should."""
    watched = watched_run(runs, version, START)
    rows = watched.of("start")
    if watched.run.exit != 0 or watched.run.stop is not None or not rows or not watched.run.cpu_s:
        return None
    hook_s = sum(map(float, watched.of("hook")))
    return sum(float(start) + float(imports) for start, imports in rows) - hook_s, watched.run.cpu_s - hook_s


@dataclass(frozen=True)
class StartTime:
    """Times of some runs of one version."""

    apart_s: tuple[float, ...]
    """CPU seconds of start and imports."""
    whole_s: tuple[float, ...]

    @property
    def shares(self) -> tuple[float, ...]:
        """Share of start and imports in each run, below 1."""
        return tuple(min(a / whole, 0.999) for a, whole in zip(self.apart_s, self.whole_s, strict=True))


@dataclass(frozen=True)
class HotRegion:
    """The rest of a command, in two versions."""

    apart_s: float
    """CPU seconds of start and imports of the original."""
    whole_s: float
    ratio: float | None
    """Ratio of the rest, original over candidate; None if unknown."""
    ci_low: float | None = None
    ci_high: float | None = None
    why_not: str = ""
    """Reason why the ratio is unknown."""
    little: bool = False
    """The rest is little, and no gain was seen in the whole."""

    def to_json(self) -> dict[str, Any]:
        """Field `hot_region` of a result; seconds are of the original."""
        figures = {"ratio": self.ratio, "ci_low": self.ci_low, "ci_high": self.ci_high}
        rounded = {name: None if value is None else round(value, 4) for name, value in figures.items()}
        return {
            "apart_s": round(self.apart_s, 4), "whole_s": round(self.whole_s, 4), **rounded, "why_not": self.why_not,
        }  # fmt: skip

    @property
    def words(self) -> str:
        """For people."""
        of = f"start and imports, {self.apart_s:.2f} of {self.whole_s:.2f} s"
        if self.ratio is None or self.ci_low is None or self.ci_high is None:
            found = f"apart from {of}, the speedup is unknown: {self.why_not}"
        else:
            found = f"apart from {of}: {factor(self.ratio)} ({factor(self.ci_low)} - {factor(self.ci_high)})"
        more = "; the rest is too little for its gain to be seen in the whole: give the command more to do"
        return found + more * self.little


def apart(before: StartTime, after: StartTime, *, found: Comparison) -> HotRegion:
    """The speedup of the rest, from that of the whole and the shares of start and imports."""
    old, new = median(before.apart_s), median(after.apart_s)
    rest_s = median(after.whole_s) - new
    # Share of the rest below which a gain is hard to see in the whole
    little = rest_s < 0.2 * median(after.whole_s) and found.decision in (Decision.SAME, Decision.INCONCLUSIVE)
    told = HotRegion(old, median(before.whole_s), None, little=little)
    spread = max(*before.apart_s, *after.apart_s) - min(*before.apart_s, *after.apart_s)
    if abs(old - new) > ALIKE * min(old, new):
        return replace(told, why_not=f"they take {old:.2f} s in one version and {new:.2f} s in the other")
    if spread > ALIKE * rest_s:
        return replace(told, why_not="they vary by more than a small part of the rest")
    low = found.ci_low * (1 - max(before.shares)) / (1 - min(after.shares))
    high = found.ci_high * (1 - min(before.shares)) / (1 - max(after.shares))
    ratio = found.ratio * (1 - median(before.shares)) / (1 - median(after.shares))
    return replace(told, ratio=ratio, ci_low=min(low, ratio), ci_high=max(high, ratio))
