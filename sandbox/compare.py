"""Original against candidate: is it faster, by how much, and how sure are we?"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Clock = Literal["cpu", "wall"]


class Decision(StrEnum):
    """What a comparison found."""

    FASTER = "faster"
    SLOWER = "slower"
    SAME = "same"  # no difference worth having
    UNDECIDED = "undecided"  # the cap on pairs or seconds came first
    REJECTED = "rejected"  # a timed run gave a wrong answer or failed


@dataclass(frozen=True)
class CaseTimes:
    """Raw paired times of one case, in seconds, in the order they were taken."""

    case: str
    original_s: tuple[float, ...]
    candidate_s: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """Median original time over median candidate time."""
        raise NotImplementedError


@dataclass(frozen=True)
class Comparison:
    """Candidate against original, with everything needed to check it."""

    decision: Decision
    ratio: float
    """Original time over candidate time: 2.0 is twice as fast."""
    ci_low: float
    ci_high: float
    pairs: int
    clock: Clock
    confidence: float
    """Of the interval, and of the decision: 0.99 is at most 1 % wrong `faster`."""
    method: str
    cases: tuple[CaseTimes, ...]
    reason: str = ""
    """For people: why it was rejected or left undecided."""
