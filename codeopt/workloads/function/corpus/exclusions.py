"""Calls that are no evidence: why, and how many, in words that are true of one call and of many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from codeopt.core.diagnostic import Diagnostic
from codeopt.core.sanitize import inline
from codeopt.core.words import counted as number_of

MOST = 3
"""Reasons that a sentence names."""


class ExclusionReason(StrEnum):
    """Reason for excluding calls. It continues the text `3 calls that ...`."""

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
    """Reason why a call is no evidence, with a detail."""

    why: ExclusionReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.why} ({self.detail})" if self.detail else str(self.why)

    @property
    def with_remedy(self) -> str:
        """A serious reason and what helps."""
        return f"{self}; {_REMEDIES[self.why]}"


_REMEDIES = {
    ExclusionReason.EFFECTS: "name the part that only computes, as a function of its own",
    ExclusionReason.TWICE: "give it a seeded generator, a time or a sorted list as an argument (--calls FILE)",
    ExclusionReason.COMPARED: "name a function that takes and returns plain values, or objects that pickle knows",
}
"""For what speaks against the function itself, what helps."""


@dataclass(frozen=True)
class Exclusions:
    """Number of excluded calls by reason, separately for given and generated ones."""

    given: Mapping[Exclusion, int] = field(default_factory=dict)
    made_up: Mapping[Exclusion, int] = field(default_factory=dict)

    def words(self) -> str:
        """Return texts such as `2 calls that took too long`, given calls before generated ones. Empty without any."""
        parts = [counted(count, "call", reason) for reason, count in _most(self.given)]
        parts += [counted(count, "generated call", reason) for reason, count in _most(self.made_up)]
        return ", ".join(parts[:MOST])

    def unsteady(self) -> tuple[Diagnostic, ...]:
        """Diagnostic of given calls that change by themselves: they are neither checked nor timed."""
        found = [(reason, count) for reason, count in _most(self.given) if reason.why is ExclusionReason.TWICE]
        return tuple(
            Diagnostic(f"{number_of(count, 'call')} neither checked nor timed", f"it {reason}", _REMEDIES[reason.why])
            for reason, count in found
        )

    def figures(self) -> dict[str, int]:
        """Return the numbers by their reason, as data."""
        named = {f"calls that {reason}": count for reason, count in _most(self.given)}
        return named | {f"generated calls that {reason}": count for reason, count in _most(self.made_up)}


def counted(count: int, what: str, reason: Exclusion) -> str:
    """`1 call that took too long`, `2 calls that took too long`."""
    return f"{count} {what}{'s' * (count != 1)} that {reason}"


def unwritten(lost: Mapping[str, int]) -> dict[Exclusion, int]:
    """Reasons for calls that no text can hold. lost: what it was (`key: a lambda`) -> how many."""
    return {Exclusion(ExclusionReason.WRITTEN, inline(what, 80)): count for what, count in lost.items()}


def objection(dropped: Mapping[Exclusion, int], total: int, what: str = "call") -> str:
    """Return cause and remedy if more than half of `total` calls are excluded for serious reasons. Empty otherwise."""
    serious = {reason: count for reason, count in dropped.items() if reason.why in _REMEDIES}
    if not total or sum(serious.values()) <= total / 2:
        return ""
    reason, count = _most(serious)[0]
    return f"{_share(count, total, what)} {reason.with_remedy}"


def _share(count: int, total: int, what: str) -> str:
    """`2 of 3 calls`, `all 3 calls`, `its one call`."""
    if count < total:
        return f"{count} of {total} {what}s"
    return f"all {total} {what}s" if total > 1 else f"its only {what}"


def _most(counts: Mapping[Exclusion, int]) -> list[tuple[Exclusion, int]]:
    return sorted(((reason, count) for reason, count in counts.items() if count), key=lambda pair: -pair[1])
