"""The shape of a guard: a function that looks at a draft's text, or at a gain, and when it is asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Literal, TypeVar, get_args

from codeopt.core.revision import Revision
from codeopt.workloads._protocol import TimedRegion, Workload
from codeopt_sandbox.compare import Comparison, Plan
from codeopt_sandbox.outcome import Case, Caveat, Outcome

CHECK_SOURCE = "check_source"
CHECK_GAIN = "check_gain"
"""Names of the two functions that `@guard` makes a guard of. They distinguish the verbs."""

USUAL_ORDER = 50
"""The order of a guard that says none."""

AppliesTo = Literal["gains", "comparisons"]
"""`gains`: drafts that were measured to be faster; `comparisons`: all right drafts that were compared."""


class Consequence(Enum):
    """The effect of a finding."""

    REJECT = "reject"  # the draft is refused
    NO_GAIN = "no gain"  # it may be right, but what was measured is no gain
    NOTE = "note"  # it is accepted, and the user is shown the note
    CAVEAT = "caveat"  # the same, with an input that shows a difference; `--strict` refuses it


@dataclass(frozen=True)
class Finding:
    """Something that speaks against a draft."""

    consequence: Consequence
    reason: str
    """One line, for the user and the proposer."""
    outcome: Outcome | None = None
    """The wrong run that shows it, if one exists."""
    slower: bool = False
    """True if the draft was seen to be slower. Only for NO_GAIN."""
    caveats: tuple[Caveat, ...] = ()


@dataclass(frozen=True)
class SourcePair:
    """The original and a draft as files. No part of the draft has run yet."""

    before: Revision
    after: Revision

    @property
    def original(self) -> str:
        """Text of an original that is one file. Raises ValueError for one of several."""
        return self.before.text

    @property
    def draft(self) -> str:
        """Text of a draft that is one file. Raises ValueError for one of several."""
        return self.after.text

    @property
    def texts(self) -> tuple[tuple[str, str], ...]:
        """Texts of each file that differs, before and after."""
        if len(self.before) == len(self.after) == 1:
            return ((self.original, self.draft),)
        return tuple((self.before[path], self.after[path]) for path in self.after.changed_files(self.before))


OfKind = TypeVar("OfKind", bound=Workload)
PlanOfKind = TypeVar("PlanOfKind", bound=Plan)


@dataclass(frozen=True)
class Gain(Generic[OfKind, PlanOfKind]):
    """A right draft that was compared with the original. Faster, unless the guard applies to all comparisons.

    A guard of a kind of targets names its classes: `Gain[FunctionWorkload, CallPlan]`.
    """

    workload: OfKind
    draft: Revision
    comparison: Comparison
    plan: PlanOfKind
    """The timed cases and how they are run."""
    unseen: tuple[Case, ...]
    """Cases that no proposer has seen, if there are any."""
    notify: Callable[[str], None]

    @property
    def original(self) -> Revision:
        """The original, as it was measured."""
        return self.workload.baseline.revision


AnyGain = Gain[Any, Any]
Subject = TypeVar("Subject", SourcePair, AnyGain)


@dataclass(frozen=True)
class Guard(Generic[Subject]):
    """One check, made by `@guard`. Called with its subject it returns its finding."""

    check: Callable[[Subject], Finding | None]
    order: int = USUAL_ORDER
    """Guards are asked from low to high, so that cheap ones spare the others."""
    region: TimedRegion | None = None
    """The kind of timing that it is about. None: any."""
    applies_to: AppliesTo = "gains"
    every_round: bool = False
    """Asked in each round too, so that the proposer hears of it, and not only when the best draft is confirmed."""

    def __post_init__(self) -> None:
        """Raise ValueError for a function or an argument that no guard can have."""
        if self.verb not in (CHECK_SOURCE, CHECK_GAIN):
            raise ValueError(f"@guard makes a guard of {CHECK_SOURCE}(pair) or {CHECK_GAIN}(gain), not of {self.verb}")
        if self.applies_to not in get_args(AppliesTo):
            choices = " or ".join(map(repr, get_args(AppliesTo)))
            raise ValueError(f"@guard(applies_to={self.applies_to!r}): it has to be {choices}")
        if self.verb == CHECK_SOURCE and (self.region or self.every_round or self.applies_to != "gains"):
            raise ValueError(f"@guard of {CHECK_SOURCE} takes `order` alone: nothing is timed when a text is read")

    @property
    def verb(self) -> str:
        """`check_source` or `check_gain`."""
        return self.check.__name__

    def __call__(self, subject: Subject) -> Finding | None:
        return self.check(subject)

    def is_asked(self, region: TimedRegion, *, faster: bool, in_round: bool) -> bool:
        """Return whether the guard applies to such a comparison."""
        applies = faster or self.applies_to == "comparisons"
        return applies and self.region in (None, region) and (self.every_round or not in_round)


def guard(
    *,
    order: int = USUAL_ORDER,
    region: TimedRegion | None = None,
    applies_to: AppliesTo = "gains",
    every_round: bool = False,
) -> Callable[[Callable[[Subject], Finding | None]], Guard[Subject]]:
    """Make a guard of a function `check_source(pair: SourcePair)` or `check_gain(gain: Gain)`, which answers with a
    Finding or None. The arguments are documented at Guard. A wrong one raises ValueError or TypeError."""

    def make(check: Callable[[Subject], Finding | None]) -> Guard[Subject]:
        return Guard(check, order, region, applies_to, every_round)

    return make
