"""Calls of a function as cases, and what is told of those that a draft answers otherwise without being wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from codeopt_sandbox.answers import STATE, AnswerDifference, around, differences
from codeopt_sandbox.caveat import Caveat, Subject
from codeopt_sandbox.outcome import Case, Outcome
from codeopt_sandbox.verdict import Checker

MOST_INPUT = 300
"""Characters of a call in a caveat."""


@dataclass(frozen=True)
class CallCase(Case):
    """Calls of which some is known to go beyond the known ones, or several that are made together."""

    beyond: tuple[str, ...] = ()
    """Reason of each call; empty in a case whose calls are all like known ones."""
    several: bool = False
    """Each of them is a scenario, no single call."""
    asked_once: bool = False
    """The original made some of the calls only once: it is asked again where a draft answers otherwise."""


@dataclass(frozen=True)
class WholeCase(Case):
    """Timed calls, made as they are timed, and looked at as calls that are checked."""


def calls_of(case: Case) -> list[str]:
    """The calls of a case as expressions."""
    return case.stdin.decode("utf-8", "surrogatepass").rstrip("\n").split("\n")[1:]


Paste = Callable[[str], str]
"""A call as a line for a shell."""


@dataclass(frozen=True)
class CaveatRules:
    """Rules by which a difference is a caveat, and how it is told."""

    tolerance: float
    """Allowed difference of floats, absolute or relative."""
    paste: Paste
    may_change: bool = False
    """A changed argument is no difference."""
    accepts: Checker | None = None
    """Checker of further answers that are right, and not told."""


def without_unsteady(case: Case, got: bytes, again: bytes) -> bytes:
    """The draft's answers, with the expected answer to each call that the original, asked again, answers otherwise."""
    expected, drafts, originals = (text.split(b"\n") for text in (case.expected or b"", got, again))
    if not len(expected) == len(drafts) == len(originals):
        return got
    lines = zip(expected, drafts, originals, strict=True)
    return b"\n".join([right if any(differences(right, original)) else draft for right, draft, original in lines])


def call_caveats(case: Case, got: bytes, rules: CaveatRules) -> tuple[Caveat, ...]:
    """The shortest call whose answer differs, for each reason."""
    groups: dict[tuple[Subject | None, str], list[AnswerDifference]] = {}
    lines = _Lines.of(case)
    for each in differences(case.expected or b"", got, rules.tolerance, may_change=rules.may_change):
        if rules.accepts and each.call and not each.subject and not rules.accepts(*each.lines):
            continue
        groups.setdefault((each.subject, each.because or lines.why(each)), []).append(each)
    return tuple(_caveat(lines, found, because, rules.paste) for (_, because), found in groups.items())


def beyond_caveats(case: CallCase, outcome: Outcome, rules: CaveatRules) -> tuple[Caveat, ...]:
    """The same of calls beyond the known ones; or how the run of all of them ended."""
    if outcome.run.exit == 0 and outcome.run.stop is None:
        return call_caveats(case, outcome.run.stdout, rules)
    calls = calls_of(case)
    short = min(calls, key=len)
    words = f"{len(calls)} calls, the shortest {short}"[:MOST_INPUT]
    because = case.beyond[calls.index(short)]
    return (
        Caveat(Subject.INPUT, words, "each of them ends", outcome.detail, because, rules.paste(short), case.held_out),
    )


@dataclass(frozen=True)
class _Lines:
    """The calls of a case, and how many of its expected lines are answers."""

    case: Case
    calls: Sequence[str]
    shown: int

    @classmethod
    def of(cls, case: Case) -> Self:
        """Read both, which takes longer than all else where there are many calls."""
        lines = (case.expected or b"").rstrip(b"\n").split(b"\n")
        return cls(case, calls_of(case), len(lines) - lines[-1].startswith(STATE.encode()))

    def place(self, each: AnswerDifference) -> int | None:
        """Place of a call in its case, of which the first may only warm up; None for what all calls leave behind."""
        return len(self.calls) - self.shown + each.at if each.at < self.shown else None

    def why(self, each: AnswerDifference) -> str:
        """Reason why a call may be answered otherwise."""
        at = self.place(each)
        known = self.case.beyond if isinstance(self.case, CallCase) else ()
        return known[at] if known and at is not None else "what such calls leave behind"


def _caveat(lines: _Lines, found: Sequence[AnswerDifference], because: str, paste: Paste) -> Caveat:
    each = min(found, key=lambda each: len(each.call))
    at = lines.place(each)
    return Caveat(
        each.subject or Subject.INPUT,
        (each.call or "all calls together")[:MOST_INPUT],
        around(each.expected, each.got),
        around(each.got, each.expected),
        because,
        paste(lines.calls[at]) if at is not None else "",
        lines.case.held_out,
        apart=max(each.apart for each in found),
    )
