"""What a review found, as plain data: what a reporter may say is here, and only verified suggestions are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from codeopt.core.diagnostic import Shortfall
from codeopt_sandbox.caveat import Caveat


def full_name(path: str, function: str) -> str:
    """`path::function`, or the path alone of a program; as it is: quote it."""
    return f"{path}::{function}" if function else path


@dataclass(frozen=True)
class Suggestion:
    """One function or program that can be better, measured and verified."""

    path: str
    """Below the repository's root, with `/`."""
    function: str
    """Qualified name; empty for a program that reads stdin."""
    original: str
    """The whole file as the change has it."""
    improved: str
    """The whole file with this suggestion alone."""
    task: str
    speedup: Mapping[str, Any]
    """As report.speedup gives it: ratio, ci_low, ci_high, pairs, clock, method."""
    evidence: Mapping[str, Any]
    """As Evidence.figures gives it: calls, sources, line_coverage, tests."""
    growth: str = ""
    """How cost grows with input size, `about n^2 -> about n`; empty where nothing is known."""
    changes: tuple[str, ...] = ()
    """What was changed and why, a sentence each."""
    caveats: tuple[Caveat, ...] = ()
    """Differences that were found only beyond the known inputs."""
    together: int = 1
    """How many suggestions of this file, this one included, were verified with all of them applied."""
    share: float | None = None
    """Of the time of its own tests, 0 to 1; None where that was not measured."""

    @property
    def told(self) -> tuple[str, ...]:
        """What was changed and why, then each difference that nobody may care for; quote it."""
        return (*self.changes, *(f"caveat: {each.words}" for each in self.caveats))


@dataclass(frozen=True)
class Skipped:
    """Something the change touches that nothing is suggested for, and why."""

    path: str
    function: str
    reason: str


@dataclass(frozen=True)
class Review:
    """One review."""

    base: str
    """Commit that the change starts from; empty for a diff file."""
    head: str
    diff: str
    """The change itself, unified, with paths below the root: says which lines may carry a comment."""
    suggestions: tuple[Suggestion, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    notices: tuple[str, ...] = ()
    """What kept the review from being whole: no model, no sandbox, budget spent."""
    shortfalls: tuple[Shortfall, ...] = ()
    """What could not be run, such as tests; unlike a notice it does not mean that suggestions may be missing."""
    blind: str = ""
    """Why nothing could be looked at; empty where something was."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    cost_usd: float | None = 0.0
    """None where a price is not known."""
    python: Mapping[str, Any] | None = None
    """What ran everything, as Interpreter.to_json gives it; None where that was an image's own, or nothing was run."""

    @property
    def whole(self) -> bool:
        """All was looked at: what is not suggested any more does not apply any more."""
        return not (self.notices or self.blind)

    @property
    def said(self) -> tuple[str, ...]:
        """All that a reader should know beside the suggestions, a line each; quote it."""
        return (*self.notices, *(each.words for each in self.shortfalls), *filter(None, [self.blind]))
