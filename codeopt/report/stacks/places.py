"""Functions of a project by where a profiler saw them: another checkout, an installed package, an earlier version."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from pathlib import PurePosixPath

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import functions
from codeopt.report.stacks.model import Frame, StackProfile

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
