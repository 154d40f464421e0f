"""Bytecode of a project's modules: a user's own run finds it from the run before, and a run here has no run before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from codeopt_sandbox.outcome import Files, Run


@dataclass
class Bytecode:
    """Bytecode of modules, as far as Python was asked for it."""

    shared: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Paths of the bytecode that all runs find, by module of the project as it is."""
    edited: dict[tuple[str, bytes], Files] = field(default_factory=dict)
    """Files of bytecode by path and content of an edited module."""
    asked: set[str] = field(default_factory=set)
    """Sides of a comparison that were run once for what they import."""

    def of(self, path: str, content: bytes) -> Files:
        """Bytecode of an edited module; nothing where it is not known."""
        return self.edited.get((path, content), ())

    def has(self, path: str, content: bytes) -> bool:
        """Return True if an edited module was compiled."""
        return (path, content) in self.edited

    def keep(self, modules: Mapping[str, bytes], run: Run) -> None:
        """Store the bytecode that a run wrote of edited modules. A module that does not compile gets an empty entry."""
        found = dict(_written(modules, run))
        for path, content in modules.items():
            self.edited[path, content] = tuple(pair for place, pair in found.items() if place[0] == path)

    def share(self, modules: Iterable[str], run: Run) -> Files:
        """The bytecode that a run wrote of the project's modules as they are, for all runs to find."""
        new: dict[str, bytes] = {}
        for (path, place), (_, content) in _written(modules, run):
            known = self.shared.get(path, ())
            if place not in known:
                self.shared[path] = (*known, place)
                new[place] = content
        return tuple(new.items())


def _written(modules: Iterable[str], run: Run) -> Iterator[tuple[tuple[str, str], tuple[str, bytes]]]:
    """(module, path), (path, content) of each file that Python keeps of one of these modules."""
    known = frozenset(modules)
    for file in run.written:
        place = PurePosixPath(file.path)
        if place.suffix == ".pyc" and place.parent.name == "__pycache__" and file.content:
            path = (place.parent.parent / f"{place.name.partition('.')[0]}.py").as_posix()
            if path in known:
                yield (path, file.path), (file.path, file.content)
