"""The stages of a piece of work: which are behind, the one that it is in, which are left."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

MARKS = ("✓", "›", "·")
"""Marks of a stage that is behind, the present one, and one that is left."""
ASCII_MARKS = ("+", ">", "-")
STYLES = ("green", "bold", "dim")


@dataclass(frozen=True)
class Stages:
    """Names in order. In a loop of several stages the later ones are left again."""

    names: tuple[str, ...] = ()
    now: str = ""
    """The present stage. Empty: all are behind."""
    which: str = ""
    """Number among several of its kind, `2 of 4`."""
    typical: Mapping[str, float] = field(default_factory=dict)
    """Typical times of stages as multiples of that of the first one here."""
    took: Mapping[str, float] = field(default_factory=dict)
    """Times of the stages that have ended, seconds."""
    since: float = field(default_factory=time.monotonic)
    """Begin of the present stage on the monotonic clock, seconds."""

    @property
    def present(self) -> str:
        """The present stage with its number, `draft 2 of 4`."""
        return f"{self.now} {self.which}".strip()

    @property
    def words(self) -> str:
        """`draft 2 of 4: `, before what is being done."""
        return f"{self.present}: " if self.now else ""

    @property
    def share(self) -> float:
        """Share of the stages that is behind, 0 to 1."""
        if self.now not in self.names:
            return float(not self.now and bool(self.names))
        return self.names.index(self.now) / len(self.names)

    def begun(self, name: str, which: str = "") -> Stages:
        """Return the same in another stage, with the time of the present one."""
        return replace(self, now=name, which=which, took={**self.took, self.now: self.elapsed}, since=time.monotonic())

    @property
    def elapsed(self) -> float:
        """Time since the present stage began, seconds."""
        return time.monotonic() - self.since

    @property
    def is_measured(self) -> bool:
        """Whether a stage of `typical` has ended, from whose time the others are estimated."""
        return any(name in self.took for name in self.typical)

    @property
    def left_s(self) -> float:
        """Estimated time to the end, seconds. Infinite before the first stage of `typical` has ended, in a loop, and
        once the present stage takes longer than estimated."""
        unit = next((self.took[name] / times for name, times in self.typical.items() if name in self.took), math.inf)
        if self.now not in self.names or self.which:
            return math.inf
        now, *later = (
            self.took.get(name, self.typical.get(name, math.inf) * unit)
            for name in self.names[self.names.index(self.now) :]
        )
        return now - self.elapsed + sum(later) if now > self.elapsed else math.inf

    def drawn(self, marks: tuple[str, str, str] = MARKS) -> Text:
        """`✓ read ✓ baseline › draft 2 of 4 · judge · confirm`."""
        from rich.text import Text

        at = self.names.index(self.now) if self.now in self.names else len(self.names)
        row = Text()
        for number, name in enumerate(self.names):
            place = (number >= at) + (number > at)
            row.append(f"{marks[place]} {self.present if number == at else name} ", style=STYLES[place])
        return row
