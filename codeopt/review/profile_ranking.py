"""Ranking of targets by what production spends in them, from a profile that another profiler wrote."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.report.stacks import SourcePlaces, Stack, StackProfile
from codeopt.review.changed_functions import ReviewTarget


@dataclass(frozen=True)
class ProfileMatch:
    """Targets by their share of a profile, the largest first."""

    targets: tuple[ReviewTarget, ...]
    share: float
    """Part of the profile's time that lies in targets, with the libraries that they call, 0 to 1."""
    words: str
    """One line about it for the user."""
    name: str


def rank_by_profile(targets: Sequence[ReviewTarget], profile: StackProfile) -> ProfileMatch:
    """Rank targets by their own share, with that of libraries that they call; programs by all that is below them. Those
    of no time keep their order at the end. Raises UsageError where no time of the profile lies in any."""
    owners = _Owners(targets)
    own: dict[tuple[str, str], float] = defaultdict(float)
    total = profile.total
    for stack, weight in profile.weights:
        for key in owners.of(stack):
            own[key] += weight
    timed = profile.unit == "seconds"
    found = [
        replace(target, share=min(1.0, spent / total), seconds=spent if timed else 0.0) if spent else target
        for target in targets
        for spent in [own.get((target.path, target.function), 0.0)]
    ]
    functions = sum(spent for (_, function), spent in own.items() if function)
    share = min(1.0, max([functions, *(spent for (_, function), spent in own.items() if not function)]) / total)
    if not share:
        paths = sorted({frame.file for stack, _ in profile.weights for frame in stack if frame.file})
        seen = f"it names {', '.join(paths[:3])}" if paths else "it names no files"
        raise UsageError(f"--profile {profile.name}: none of its time is in the functions that are checked", hint=seen)
    amount = f"{total:.4g} s" if timed else f"{total:,.0f} samples"
    words = f"{share:.0%} of {amount} in {profile.name} are in what is checked, with the libraries that it calls"
    return ProfileMatch(tuple(sorted(found, key=lambda each: -(each.share or 0.0))), share, words, profile.name)


class _Owners:
    """Targets by where a profile saw a function."""

    def __init__(self, targets: Sequence[ReviewTarget]) -> None:
        self.names: dict[str, set[str]] = defaultdict(set)
        """Functions that are targets, by path; an empty name is a program."""
        for target in targets:
            self.names[target.path].add(target.function)
        files = {target.path: target.file for target in targets}
        self.places = SourcePlaces({path: read_program(file).source for path, file in files.items()})

    def of(self, stack: Stack) -> set[tuple[str, str]]:
        """The innermost target function of a stack, and the programs in it."""
        found: set[tuple[str, str]] = set()
        innermost: tuple[str, str] | None = None
        for frame in stack:
            if place := self.places.find(frame):
                path, name = place
                while "." in name and name not in self.names[path]:
                    name = name.rpartition(".")[0]  # a function inside of another is a part of that
                found |= {(path, "")} if "" in self.names[path] else set()
                innermost = (path, name) if name in self.names[path] - {""} else None
        return found | ({innermost} if innermost else set())
