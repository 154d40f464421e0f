"""Why a draft is refused, or a gain not believed: one check a file.

A guard is a module of this folder, or an entry point of the group `codeopt.guards`, that defines one of

    look(draft: Reading) -> Finding | None     reads a draft before anything of it runs
    check(gain: Gain) -> Finding | None        looks into a gain that was measured, before it is believed

and may define REGION, the kind of timing that it is about, ORDER (cheap ones first; 50), ALWAYS, which asks it of
what was compared and is no faster, too, and ROUND, which asks it in each round, so that a proposer hears of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from types import ModuleType

from codeopt.core import plugins
from codeopt.workloads import Workload
from codeopt_sandbox.caveat import Caveat
from codeopt_sandbox.compare import Comparison, Plan
from codeopt_sandbox.outcome import Case, Outcome


class Consequence(Enum):
    """What follows from a finding."""

    REJECT = "reject"  # the draft is refused
    NO_GAIN = "no gain"  # it may be right, but what was measured is no gain
    NOTE = "note"  # it is accepted, and the reader is told
    CAVEAT = "caveat"  # the same, with an input that shows a difference; `--strict` refuses it


@dataclass(frozen=True)
class Finding:
    """Something that speaks against a draft."""

    consequence: Consequence
    reason: str
    """In one line."""
    outcome: Outcome | None = None
    """The wrong run that shows it, where there is one."""
    caveats: tuple[Caveat, ...] = ()
    """Of a CAVEAT."""


@dataclass(frozen=True)
class Reading:
    """A draft as a text."""

    original: str
    draft: str


@dataclass(frozen=True)
class Gain:
    """A draft that was measured to be faster."""

    workload: Workload
    draft: str
    comparison: Comparison
    plan: Plan
    """What was timed."""
    unseen: tuple[Case, ...]
    """Cases that no proposer has seen, if there are any."""
    notify: Callable[[str], None]

    @property
    def original(self) -> str:
        """The original's source text."""
        return self.workload.baseline.source


def read(reading: Reading) -> tuple[Finding, ...]:
    """What a draft's text shows: notes, and the first objection, behind which nothing else is looked for."""
    found: list[Finding] = []
    for guard in _guards("look"):
        if finding := guard.look(reading):
            found.append(finding)
            if finding.consequence is Consequence.REJECT:
                break
    return tuple(found)


def notes(reading: Reading) -> tuple[str, ...]:
    """What a reader of a draft's text should know of it."""
    return tuple(found.reason for found in read(reading) if found.consequence is Consequence.NOTE)


def inspect(gain: Gain, *, faster: bool = True, in_round: bool = False) -> Iterator[Finding]:
    """What speaks against a gain: notes, and at the end the first objection. faster: there is a gain; in_round: it is
    not confirmed yet, few are asked."""
    for guard in _guards("check"):
        other = getattr(guard, "REGION", gain.workload.region) is not gain.workload.region
        if (
            other
            or not (faster or getattr(guard, "ALWAYS", False))
            or (in_round and not getattr(guard, "ROUND", False))
        ):
            continue
        if found := guard.check(gain):
            yield found
            if found.consequence not in (Consequence.NOTE, Consequence.CAVEAT):
                return


def _guards(function: str) -> list[ModuleType]:
    modules = [plugins.load("codeopt.guards", name) for name in plugins.names("codeopt.guards")]
    return sorted((m for m in modules if hasattr(m, function)), key=lambda m: getattr(m, "ORDER", 50))
