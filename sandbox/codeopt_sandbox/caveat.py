"""A difference between two programs that was found only beyond the known inputs: told, and no reason to refuse one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Tier(StrEnum):
    """Confidence that an input is one that the code is for; it decides what a difference on it means."""

    KNOWN = "known"
    """Tests, cases, recorded and given calls: the draft is rejected."""
    ALIKE = "alike"
    """Generated, of the formats, types and relations that the known ones have: the draft is rejected."""
    BEYOND = "beyond"
    """Any other input: a difference is a caveat."""


class Subject(StrEnum):
    """Subject of a caveat."""

    INPUT = "input"
    """An input of a type, sign, alphabet or relation that no known one has."""
    TEXT = "text"
    """An exception's text."""
    FLOATS = "floats"
    """The last bits of floats."""
    PRIVATE = "private"
    """Attributes that only the object itself looks at."""
    INTERFACE = "interface"
    """Methods of a result that callers seldom use."""
    SPEED = "speed"
    """Slower on another shape of input."""
    LAYOUT = "layout"
    """White space in what is printed."""
    MEMORY = "memory"
    SURROUNDINGS = "surroundings"
    """State of the machine that the code reads beside its input, such as clocks."""
    EVIDENCE = "evidence"
    """Too little could be tried."""


@dataclass(frozen=True)
class Caveat:
    """The smallest input that shows a difference, with both outcomes."""

    subject: Subject
    input: str
    """The input in a few words, or its text cut to a line."""
    expected: str
    """Behaviour of the original, for people."""
    got: str
    """Behaviour of the draft, for people."""
    because: str = ""
    """Why the input is beyond the known ones: `no known input has a negative number`."""
    again: str = ""
    """A line to paste into a shell that shows it again; empty where there is none."""
    held_out: bool = False
    """Found on what a proposer is never shown."""
    tier: Tier = Tier.BEYOND
    apart: float = 0.0
    """The largest difference between floats, of `FLOATS`."""

    @property
    def words(self) -> str:
        """One line for people."""
        far = f", at most {self.apart:.1g} apart" * bool(self.apart)
        why = f" ({self.because}{far})" if self.because else ""
        where = f"on {self.input}: " if self.input else ""
        return (
            f"{where}{self.got}, where the original: {self.expected}{why}"
            if self.expected
            else f"{where}{self.got}{why}"
        )


def distinct(caveats: Iterable[Caveat]) -> tuple[Caveat, ...]:
    """The caveat with the smallest input for each subject and reason, in order, showable ones first. Caveats without a
    reason are all kept."""
    found: dict[tuple[Subject, str, str], Caveat] = {}
    for caveat in caveats:
        key = caveat.subject, caveat.because, "" if caveat.because else f"{caveat.input}: {caveat.words}"
        known = found.get(key, caveat)
        best = min(known, caveat, key=lambda each: (each.held_out, len(each.input)))
        found[key] = replace(best, apart=max(known.apart, caveat.apart))
    return tuple(found.values())
