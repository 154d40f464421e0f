"""Calls that are no evidence: why, and how many, in words that are true of one call and of many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from codeopt.core.sanitize import inline

MOST = 3
"""Reasons that a sentence names."""


class ExclusionReason(StrEnum):
    """Reason for excluding calls: each goes on `3 calls that ...`."""

    EFFECTS = "had side effects"
    COMPARED = "had a value that cannot be compared"
    TWICE = "did not do the same twice"
    TOO_LONG = "took too long"
    ENDED = "ended the process"
    NO_SENSE = "made no sense"
    WRITTEN = "cannot be written down"
    NOT_AGAIN = "had arguments that cannot be made again"


@dataclass(frozen=True)
class Exclusion:
    """Why a call is no evidence."""

    why: ExclusionReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.why} ({self.detail})" if self.detail else str(self.why)


_REMEDIES = {
    ExclusionReason.EFFECTS: "name the part that only computes, as a function of its own",
    ExclusionReason.TWICE: "give it a seeded generator, a time or a sorted list as an argument (--calls FILE)",
    ExclusionReason.COMPARED: "name a function that takes and returns plain values, or objects that pickle knows",
}
"""For what speaks against the function itself, what helps."""


@dataclass(frozen=True)
class Exclusions:
    """Number of excluded calls by reason: of those that somebody made, and of made-up ones."""

    given: Mapping[Exclusion, int] = field(default_factory=dict)
    made_up: Mapping[Exclusion, int] = field(default_factory=dict)

    def words(self) -> str:
        """`2 calls that took too long, 1 made-up call that made no sense`, what was given first; empty for none."""
        parts = [counted(count, "call", reason) for reason, count in _most(self.given)]
        parts += [counted(count, "made-up call", reason) for reason, count in _most(self.made_up)]
        return ", ".join(parts[:MOST])

    def figures(self) -> dict[str, int]:
        """The same words without their number, as data."""
        named = {f"calls that {reason}": count for reason, count in _most(self.given)}
        return named | {f"made-up calls that {reason}": count for reason, count in _most(self.made_up)}


def counted(count: int, what: str, reason: Exclusion) -> str:
    """`1 call that took too long`, `2 calls that took too long`."""
    return f"{count} {what}{'s' * (count != 1)} that {reason}"


def unwritten(lost: Mapping[str, int]) -> dict[Exclusion, int]:
    """Reasons for calls that no text can hold. lost: what it was (`key: a lambda`) -> how many."""
    return {Exclusion(ExclusionReason.WRITTEN, inline(what, 80)): count for what, count in lost.items()}


def objection(dropped: Mapping[Exclusion, int], total: int, what: str = "call") -> str:
    """Why a function cannot be judged, and what would help, when more than half of `total` calls speak against it;
    else empty."""
    serious = {reason: count for reason, count in dropped.items() if reason.why in _REMEDIES}
    if not total or sum(serious.values()) <= total / 2:
        return ""
    reason, count = _most(serious)[0]
    return f"{_share(count, total, what)} {reason}; {_REMEDIES[reason.why]}"


def _share(count: int, total: int, what: str) -> str:
    """`2 of 3 calls`, `all 3 calls`, `its one call`."""
    if count < total:
        return f"{count} of {total} {what}s"
    return f"all {total} {what}s" if total > 1 else f"its only {what}"


def _most(counts: Mapping[Exclusion, int]) -> list[tuple[Exclusion, int]]:
    return sorted(((reason, count) for reason, count in counts.items() if count), key=lambda pair: -pair[1])
