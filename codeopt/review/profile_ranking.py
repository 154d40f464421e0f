"""Ranking of targets by what production spends in them, from a profile that another profiler wrote."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from codeopt.analysis.nodes import first_line
from codeopt.core.errors import UsageError
from codeopt.core.program import read_program
from codeopt.report.stacks.model import Frame, Stack, StackProfile
from codeopt.review.changed_functions import ReviewTarget
from codeopt.workloads.source.functions import definitions

INSTALLED = re.compile(r".*/(?:site|dist)-packages/")
STANDARD = re.compile(r".*/lib/python3\.\d+/")
SOURCES = ("src", "lib")
"""Folders of a repository that an installed package does not keep."""


@dataclass(frozen=True)
class ProfileMatch:
    """Targets by their share of a profile, the largest first."""

    targets: tuple[ReviewTarget, ...]
    share: float
    """Part of the profile's time that lies in targets, with the libraries that they call, 0 to 1."""
    words: str
    """One line that says so."""
    name: str
    """Name of the profile."""


def rank_by_profile(targets: Sequence[ReviewTarget], profile: StackProfile) -> ProfileMatch:
    """Rank targets by their own share, with that of libraries that they call; programs by all that is below them. Those
    of no time keep their order at the end. Raises UsageError where no time of the profile lies in any."""
    places = _Places(targets)
    own: dict[tuple[str, str], float] = defaultdict(float)
    total = profile.total
    for stack, weight in profile.weights:
        for key in places.owners(stack):
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
        raise UsageError(f"--profile {profile.name}: none of its time is in the functions that are checked; {seen}")
    amount = f"{total:.4g} s" if timed else f"{total:,.0f} samples"
    words = f"{share:.0%} of {amount} in {profile.name} are in what is checked, with the libraries that it calls"
    return ProfileMatch(tuple(sorted(found, key=lambda each: -(each.share or 0.0))), share, words, profile.name)


class _Places:
    """Targets by where a profile saw a function."""

    def __init__(self, targets: Sequence[ReviewTarget]) -> None:
        self.names: dict[str, set[str]] = defaultdict(set)
        """Functions that are targets, by path; an empty name is a program."""
        self.files: dict[str, list[str]] = defaultdict(list)
        """Paths by the name of the file."""
        self.spans: dict[str, list[tuple[int, int, str]]] = {}
        self.known: dict[Frame, tuple[str, str] | None] = {}
        files: dict[str, Path] = {}
        for target in targets:
            self.names[target.path].add(target.function)
            files[target.path] = target.file
        for path, file in files.items():
            self.files[PurePosixPath(path).name].append(path)
            tree = ast.parse(read_program(file).source)
            self.spans[path] = [(first_line(node), node.end_lineno or node.lineno, name)
                                for name, node in definitions(tree)]  # fmt: skip

    def owners(self, stack: Stack) -> set[tuple[str, str]]:
        """The innermost target function of a stack, and the programs in it."""
        found: set[tuple[str, str]] = set()
        innermost: tuple[str, str] | None = None
        for frame in stack:
            if frame not in self.known:
                self.known[frame] = self._find(frame)
            place = self.known[frame]
            if place is not None:
                path, name = place
                found |= {(path, "")} if "" in self.names[path] else set()
                innermost = (path, name) if name in self.names[path] - {""} else None
        return found | ({innermost} if innermost else set())

    def _find(self, frame: Frame) -> tuple[str, str] | None:
        """Path and qualified name; None for what is in no file of a target."""
        path = self._path(frame.file.replace("\\", "/"))
        if path is None:
            return None
        name = self._function(path, frame)
        while "." in name and name not in self.names[path]:
            name = name.rpartition(".")[0]  # a function inside of another is a part of that
        return path, name

    def _path(self, seen: str) -> str | None:
        """The one path that a profile's file can be; None where there is none, or several."""
        installed = INSTALLED.match(seen)
        if not installed and STANDARD.match(seen):
            return None
        inside = seen[installed.end() :] if installed else seen.removeprefix("./")
        fits: dict[str, int] = {}
        for path in self.files.get(PurePosixPath(seen).name, ()):
            first, _, rest = path.partition("/")
            for each in (path, rest) if first in SOURCES and rest else (path,):
                equal = inside == each if installed else f"/{inside}".endswith(f"/{each}")
                if equal or (not installed and seen[:1] != "/" and f"/{each}".endswith(f"/{inside}")):
                    fits[path] = max(fits.get(path, 0), min(len(each), len(inside)))
        best = [path for path, length in fits.items() if length == max(fits.values())]
        return best[0] if len(best) == 1 else None

    def _function(self, path: str, frame: Frame) -> str:
        """Qualified name: by the frame's name where one function has it, else by the line; empty for none."""
        name = frame.name.replace("<locals>.", "")
        last = name.rpartition(".")[2]
        same = [row for row in self.spans[path] if row[2].rpartition(".")[2] == last]
        exact = [row for row in same if row[2] == name or name.endswith(f".{row[2]}")]
        if len({row[2] for row in exact or same}) == 1:
            return (exact or same)[0][2]
        among = same or (self.spans[path] if last.startswith("<") and last != "<module>" else [])
        around = [row for row in among if row[0] <= frame.line <= row[1]]
        return max(around)[2] if around else ""
