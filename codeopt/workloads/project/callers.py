"""Callers of a function whose own calls cannot be written down, as its recorder saw them on the stack."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import zip_longest

from codeopt.analysis.nodes import first_line, last_line
from codeopt.analysis.positions import functions
from codeopt.workloads.project.edits import CodeEdit
from codeopt.workloads.project.public_surface import Surfaces

CALLERS = "@ callers "
"""Beginning of a line with the project's functions on the stack of a call, the innermost first."""
MOST = 4
"""Number of callers whose calls are recorded."""


class PublicCallers:
    """Public functions of a project that call others."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files
        """Modules by path."""
        self.spans: dict[str, list[tuple[int, int, str]]] = {}
        """First and last lines of the functions of a module, with their names."""
        self.surfaces = Surfaces(files)

    def of(self, function: CodeEdit, lines: Iterable[str]) -> list[CodeEdit]:
        """Callers of a function that others may call too, the nearest first. lines: of its recording."""
        nearest = (place for level in zip_longest(*_stacks(lines), fillvalue="") for place in level)
        found = dict.fromkeys(caller for place in nearest for caller in self._at(place))
        return [caller for caller in found if caller != function and self.surfaces.is_public(caller)][:MOST]

    def _at(self, place: str) -> Iterator[CodeEdit]:
        """Yield the function around a place, `/file:line`. Code outside of functions yields nothing."""
        path, _, text = place.removeprefix("/").rpartition(":")
        if path in self.files and text.isdecimal():
            spans = self._spans(path)
            yield from (CodeEdit(path, name) for first, last, name in spans if first <= int(text) <= last)

    def _spans(self, path: str) -> list[tuple[int, int, str]]:
        if path not in self.spans:
            found = functions(ast.parse(self.files[path]).body)
            self.spans[path] = [(first_line(node), last_line(node), name) for name, node in found]
        return self.spans[path]


def _stacks(lines: Iterable[str]) -> Iterator[list[str]]:
    """Well-formed ones: a process may end while it writes, and may write anything."""
    for line in lines:
        if line.startswith(CALLERS):
            with suppress(ValueError):
                found = json.loads(line.removeprefix(CALLERS))
                yield list(map(str, found)) if isinstance(found, list) else []
