"""A later program of a history as its change to an earlier one: what stays is in the prompt already."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

WORTH_IT, LEAST_SAVED = 0.75, 200
"""A change is shown in place of the whole program where it has at most this share of its characters, and so many less:
a short program is read more easily than its change."""
CONTEXT = 2
"""Lines around each change."""


@dataclass(frozen=True)
class Hunks:
    """A unified diff without its head; its line numbers are those of the two programs as they are shown."""

    since: int
    """Number of the round whose program is changed."""
    text: str


def smallest_change(source: str, earlier: Mapping[int, str]) -> Hunks | None:
    """To the earlier program that it is nearest to; None where the program itself says it better."""
    changes = [Hunks(number, _hunks(old, source)) for number, old in earlier.items() if old.strip()]
    best = min(changes, key=lambda change: (len(change.text), change.since), default=None)
    return best if best is not None and _saves(best.text, source) else None


def _saves(text: str, source: str) -> bool:
    return len(text) <= min(WORTH_IT * len(source), len(source) - LEAST_SAVED)


def _hunks(old: str, new: str) -> str:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=CONTEXT, lineterm=""))
    return "\n".join(lines[2:])
