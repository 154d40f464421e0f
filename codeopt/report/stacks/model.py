"""Weighted call stacks, the form that every sampling profiler's output can be brought into."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from math import inf
from typing import NamedTuple


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
