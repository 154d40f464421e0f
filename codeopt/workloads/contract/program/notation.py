"""Numbers as texts write them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_INTEGER = re.compile(r"0|-?[1-9]\d{0,39}")
"""A whole number as Python writes it."""
_FRACTION = re.compile(r"-?(0|[1-9]\d{0,14})\.(\d{1,14})")


@dataclass(frozen=True)
class Notation:
    """How all known values at a place are written."""

    places: int | None
    """Decimal places of numbers; None for other texts."""

    def read(self, text: str) -> Any:
        """The value of a text; the text itself if it is written in another way."""
        if self.places == 0:
            return int(text) if _INTEGER.fullmatch(text) else text
        found = _FRACTION.fullmatch(text) if self.places else None
        return float(text) if found and len(found[2]) == self.places else text

    def write(self, value: Any) -> str:
        """The text of a value, also of one that no known text has."""
        return f"{value:.{self.places}f}" if self.places and type(value) is float else str(value)


def notation_of(texts: Sequence[str]) -> Notation:
    """Notation of all of these texts."""
    if texts and all(map(_INTEGER.fullmatch, texts)):
        return Notation(0)
    places = {len(found[2]) if (found := _FRACTION.fullmatch(text)) else 0 for text in texts}
    return Notation(places.pop() if len(places) == 1 and places != {0} else None)
