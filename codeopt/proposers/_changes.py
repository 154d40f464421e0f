"""A later program of a history as its change to an earlier one: what stays is in the prompt already."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass

MAX_CHANGE_SHARE = 0.75
"""Largest length of a change, as a share of the program's, that is shown in place of the whole program."""
MIN_SAVED_CHARS = 200
"""Least number of characters that a change must save: a short program is read more easily than its change."""
CONTEXT = 2
"""Lines around each change."""


@dataclass(frozen=True)
class Hunks:
    """A unified diff without its head; its line numbers are those of the two programs as the prompt shows them."""

    since: int
    """Number of the round whose program is changed."""
    text: str


def smallest_change(source: str, earlier: Mapping[int, str]) -> Hunks | None:
    """The change from the most similar earlier program; None where the whole program is easier to read."""
    changes = [Hunks(number, _hunks(old, source)) for number, old in earlier.items() if old.strip()]
    best = min(changes, key=lambda change: (len(change.text), change.since), default=None)
    return best if best is not None and _saves(best.text, source) else None


def _saves(text: str, source: str) -> bool:
    return len(text) <= min(MAX_CHANGE_SHARE * len(source), len(source) - MIN_SAVED_CHARS)


def _hunks(old: str, new: str) -> str:
    lines = list(difflib.unified_diff(old.splitlines(), new.splitlines(), n=CONTEXT, lineterm=""))
    return "\n".join(lines[2:])
