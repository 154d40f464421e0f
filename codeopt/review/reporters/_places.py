"""The place of each suggestion of a review: next to the lines of the change, or in the text above them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codeopt.core.sanitize import printable
from codeopt.review.reporters._edits import Hunk, LineEdit, edits, hunks, inside
from codeopt.review.reporters._finding import fingerprint
from codeopt.review.suggestion import Review, Suggestion

LONGEST = 50_000
"""Characters of a suggestion block; a comment takes 65,536."""


@dataclass(frozen=True)
class Placed:
    """One suggestion with the edits that can be offered for a click."""

    suggestion: Suggestion
    fingerprint: str
    parts: tuple[tuple[LineEdit, Hunk], ...]
    """One a hunk. Empty if they cannot be offered."""
    why_not: str = ""
    """The reason why `parts` is empty, as the end of a sentence."""


def place(review: Review) -> tuple[Placed, ...]:
    """Every suggestion once, in order; of two for the same lines the first is offered."""
    change = hunks(review.diff)
    placed: dict[str, Placed] = {}
    for found in review.suggestions:
        key = fingerprint(found)
        if key not in placed:
            placed[key] = _place(found, key, change, placed.values())
    return tuple(placed.values())


def _place(found: Suggestion, key: str, change: Iterable[Hunk], before: Iterable[Placed]) -> Placed:
    here = [hunk for hunk in change if hunk.path == found.path]
    changes = edits(found.original, found.improved)
    if not changes:
        return Placed(found, key, (), "it changes nothing that can be shown")
    parts = inside(found.original, changes, here)
    if parts is None:
        return Placed(found, key, (), "it reaches beyond the lines of this change")
    if any(len(edit.text) > LONGEST for edit, _ in parts):
        return Placed(found, key, (), "it is too long for a comment")
    if any(not shown(edit.text) for edit, _ in parts):
        return Placed(found, key, (), "it has characters that cannot be seen")
    for other in before:
        if other.suggestion.path == found.path and _overlap(other.parts, parts):
            return Placed(found, key, (), "it changes lines that another suggestion changes")
    return Placed(found, key, parts)


def shown(text: str) -> bool:
    """Return whether a reader sees all characters: no characters that control, reorder or hide text."""
    plain = text.replace("\r\n", "\n")
    return printable(plain) == plain


def _overlap(one: Iterable[tuple[LineEdit, Hunk]], other: Iterable[tuple[LineEdit, Hunk]]) -> bool:
    return any(a.start <= b.end and b.start <= a.end for a, _ in one for b, _ in other)
