"""Packages with one place made slow as people do it, and a script that works with each: a package a file."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass

Changes = tuple[tuple[str, str], ...]
"""Texts that stand in a file once, each with what takes its place."""


@dataclass(frozen=True)
class Slowed:
    """One package."""

    name: str
    kind: str
    """What was done to it."""
    tests: str
    """A folder of its source distribution."""
    script: str
    """What a user of the package runs."""
    file: str
    qualname: str
    """Where the remedy belongs."""
    slow: Changes
    """Of what its authors wrote."""
    wrong: Changes
    """Of the same: plausible, and not the same."""

    def slowed(self, text: str) -> str:
        """The file with its place made slow."""
        return self._with(text, self.slow)

    def mistaken(self, text: str) -> str:
        """The file with the wrong remedy."""
        return self._with(text, self.wrong)

    def _with(self, text: str, changes: Changes) -> str:
        for was, new in changes:
            assert text.count(was) == 1, f"{self.name}: {self.file} is another version: {was!r} is not there once"
            text = text.replace(was, new)
        return text


def all_slowed() -> list[Slowed]:
    """By name."""
    found = sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    return [importlib.import_module(f"{__name__}.{module.name}").SLOWED for module in found]
