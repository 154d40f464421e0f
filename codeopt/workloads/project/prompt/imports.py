"""The part of a command's time in which the project's own modules are imported, apart from what they then do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from codeopt.report.stacks.model import Frame
from codeopt.workloads.project.profile import FunctionTime, ProjectProfile

MOSTLY = 0.5
"""Part of a function's time from which on it counts as the import's."""


@dataclass(frozen=True)
class ImportShares:
    """Shares of the command while modules of the project are imported."""

    share: float
    """Share of the command in which modules are imported, 0 to 1."""
    functions: Mapping[Frame, float]
    """Share of each function during imports, with all that it calls, 0 to 1."""
    modules: frozenset[str]
    """Files that are imported."""

    def is_imported(self, path: str) -> bool:
        """Return True if a file is a module that another imports."""
        return path in self.modules

    def is_loading(self, function: FunctionTime) -> bool:
        """Return True if a function runs mostly during imports."""
        share = self.functions.get(function.frame, 0.0)
        return share > MOSTLY * function.total_share


def import_shares(profile: ProjectProfile) -> ImportShares:
    """Find import time in the samples: everything below a module other than the command's first one."""
    found: dict[Frame, float] = defaultdict(float)
    modules, whole = set[str](), 0.0
    for sample in profile.samples:
        first = next((at for at, spot in enumerate(sample.stack) if at and spot.name == "<module>"), None)
        if first is None:
            continue
        share = sample.seconds / profile.sampled_s
        whole += share
        modules |= {spot.file for spot in sample.stack[first:] if spot.name == "<module>"}
        for spot in set(sample.stack[first:]):
            found[spot] += share
    return ImportShares(whole, found, frozenset(modules))
