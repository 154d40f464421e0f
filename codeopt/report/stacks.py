"""Profiles as weighted call stacks: their tree, and their functions by place in a project."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from pathlib import PurePosixPath
from typing import NamedTuple

from codeopt.analysis.nodes import first_line, functions

# Weighted call stacks, the form that every sampling profiler's output can be brought into.


class Frame(NamedTuple):
    """One function on a stack."""

    name: str
    file: str = ""
    """Path as the profiler saw it. Empty for code in no file."""
    line: int = 0
    """A line of the function, its definition's or the one at work. 0: not known."""

    @property
    def words(self) -> str:
        """`name (file.py:12)`, as py-spy writes it; a semicolon would end the frame."""
        where = f" ({self.file}:{self.line})" if self.line else f" ({self.file})"
        return f"{self.name}{where if self.file else ''}".replace(";", ",").replace("\n", " ")


Stack = tuple[Frame, ...]
"""Frames, the outermost first."""


@dataclass(frozen=True)
class StackProfile:
    """Time by call stack."""

    name: str
    unit: str
    """`seconds`, or `samples` where the file does not say how long one is."""
    weights: tuple[tuple[Stack, float], ...]
    """Each stack once, the heaviest first."""

    @property
    def total(self) -> float:
        """Sum of all weights, in the profile's unit."""
        return sum(weight for _, weight in self.weights)

    @classmethod
    def of(cls, name: str, unit: str, stacks: Iterable[tuple[Stack, float]]) -> StackProfile:
        """A profile with equal stacks added up; those without frames or time are left out."""
        found: dict[Stack, float] = defaultdict(float)
        for stack, weight in stacks:
            if stack and 0 < weight < inf:
                found[stack] += weight
        return cls(name, unit, tuple(sorted(found.items(), key=lambda row: -row[1])))


# Call tree of a profile: each function with its time, below the one that calls it.

DEEPEST = 60
"""Maximum depth; what lies deeper counts for the function there."""


@dataclass(frozen=True)
class CallNode:
    """A function as called from one place."""

    frame: Frame
    share: float
    """Share with all callees from there, 0 to 1."""
    own_share: float
    below: tuple[CallNode, ...]
    """The largest first."""

    def walk(self) -> Iterator[CallNode]:
        """This node and all below it."""
        yield self
        for each in self.below:
            yield from each.walk()


def call_tree(profile: StackProfile, least: float = 0.0) -> tuple[CallNode, ...]:
    """Build the tree, from the outermost functions down.

    least: minimum share of a kept node.
    """
    rows = [(stack[:DEEPEST], weight) for stack, weight in profile.weights]
    return _nodes(rows, 0, profile.total or 1.0, least)


def _nodes(rows: Sequence[tuple[Stack, float]], depth: int, whole: float, least: float) -> tuple[CallNode, ...]:
    """Return nodes at a depth, of stacks that are equal above it. Functions that differ only by line are merged."""
    inside: dict[tuple[str, str], list[tuple[Stack, float]]] = {}
    for row in rows:
        if len(row[0]) > depth:
            frame = row[0][depth]
            inside.setdefault((frame.name, frame.file), []).append(row)
    nodes = []
    for found in inside.values():
        total = sum(weight for _, weight in found)
        if total >= least * whole:
            own = sum(weight for stack, weight in found if len(stack) == depth + 1)
            frame = found[0][0][depth]
            nodes.append(CallNode(frame, total / whole, own / whole, _nodes(found, depth + 1, whole, least)))
    return tuple(sorted(nodes, key=lambda node: -node.share))


# Functions of a project by where a profiler saw them: another checkout, an installed package, an earlier version.

INSTALLED = re.compile(r".*/(?:site|dist)-packages/")
STANDARD = re.compile(r".*/lib/python3\.\d+/")
SOURCES = ("src", "lib")
"""Folders of a repository that an installed package does not keep."""
MODULE = "<module>"


class SourcePlaces:
    """Functions of some files.

    texts: source of each file, by its path in the project.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._spans: dict[str, list[tuple[int, int, str]]] = {}
        self._known: dict[Frame, tuple[str, str] | None] = {}

    def find(self, frame: Frame) -> tuple[str, str] | None:
        """Path and qualified name, empty if no function there has it. None for other files."""
        if frame not in self._known:
            path = self._path(frame.file.replace("\\", "/"))
            self._known[frame] = None if path is None else (path, self._function(path, frame))
        return self._known[frame]

    @cached_property
    def _files(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._texts:
            found[PurePosixPath(path).name].append(path)
        return found

    def _path(self, seen: str) -> str | None:
        """Return the one path that a profile's file can be. None if no path fits, or several."""
        installed = INSTALLED.match(seen)
        if not installed and STANDARD.match(seen):
            return None
        inside = seen[installed.end() :] if installed else seen.removeprefix("./")
        fits: dict[str, int] = {}
        for path in self._files.get(PurePosixPath(seen).name, ()):
            first, _, rest = path.partition("/")
            for each in (path, rest) if first in SOURCES and rest else (path,):
                equal = inside == each if installed else f"/{inside}".endswith(f"/{each}")
                if equal or (not installed and seen[:1] != "/" and f"/{each}".endswith(f"/{inside}")):
                    fits[path] = max(fits.get(path, 0), min(len(each), len(inside)))
        best = [path for path, length in fits.items() if length == max(fits.values())]
        return best[0] if len(best) == 1 else None

    def _function(self, path: str, frame: Frame) -> str:
        """Qualified name: by the frame's name if one function has it, else by the line. Empty for none."""
        name = frame.name.replace("<locals>.", "")
        last = name.rpartition(".")[2]
        spans = self._of_file(path)
        same = [row for row in spans if row[2].rpartition(".")[2] == last]
        exact = [row for row in same if row[2] == name or name.endswith(f".{row[2]}")]
        if len({row[2] for row in exact or same}) == 1:
            return (exact or same)[0][2]
        among = same or (spans if last.startswith("<") and last != MODULE else [])
        around = [row for row in among if row[0] <= frame.line <= row[1]]
        return max(around)[2] if around else ""

    def _of_file(self, path: str) -> list[tuple[int, int, str]]:
        """First line, last line and name of each function of a file; none where it is no Python."""
        if path not in self._spans:
            try:
                found = functions(ast.parse(self._texts[path]).body, inner=True)
                self._spans[path] = [(first_line(node), node.end_lineno or node.lineno, name) for name, node in found]
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                self._spans[path] = []
        return self._spans[path]


def placed(profile: StackProfile, texts: Mapping[str, str]) -> StackProfile:
    """Return a profile of another tool with a project's functions by path and qualified name.

    Other functions have no file.
    """
    places = SourcePlaces(texts)

    def frame(seen: Frame) -> Frame:
        place = places.find(seen)
        if place is None:
            return Frame(seen.words)
        return Frame(place[1] or seen.name, place[0], seen.line)

    stacks = [(tuple(frame(each) for each in stack), weight) for stack, weight in profile.weights]
    return StackProfile.of(profile.name, profile.unit, stacks)
