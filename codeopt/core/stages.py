"""The stages of a piece of work: which are behind, the one that it is in, which are left."""

from __future__ import annotations

from dataclasses import dataclass
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

    def drawn(self, marks: tuple[str, str, str] = MARKS) -> Text:
        """`✓ read ✓ baseline › draft 2 of 4 · judge · confirm`."""
        from rich.text import Text

        at = self.names.index(self.now) if self.now in self.names else len(self.names)
        row = Text()
        for number, name in enumerate(self.names):
            place = (number >= at) + (number > at)
            row.append(f"{marks[place]} {self.present if number == at else name} ", style=STYLES[place])
        return row
