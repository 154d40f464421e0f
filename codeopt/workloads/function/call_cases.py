"""Calls of a function as cases, and what is told of those that a draft answers otherwise without being wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sandbox.answers import Difference, around, differences
from sandbox.caveat import Caveat, Subject
from sandbox.outcome import Case, Outcome

MOST_INPUT = 300
"""Characters of a call in a caveat."""


@dataclass(frozen=True)
class CallCase(Case):
    """Calls of which some is known to go beyond the known ones."""

    beyond: tuple[str, ...] = ()
    """Of each call why; empty in a case whose calls are all alike to known ones."""


def calls_of(case: Case) -> list[str]:
    """The calls of a case as expressions."""
    return case.stdin.decode("utf-8", "surrogatepass").rstrip("\n").split("\n")[1:]


Paste = Callable[[str], str]
"""A call as a line for a shell."""


def call_caveats(case: Case, got: bytes, tolerance: float, paste: Paste) -> tuple[Caveat, ...]:
    """Of each subject the shortest call whose answer differs."""
    found = list(differences(case.expected or b"", got, tolerance))
    kinds = dict.fromkeys(each.subject for each in found)
    return tuple(_caveat(case, [each for each in found if each.subject is kind], kind, paste) for kind in kinds)


def made_caveat(case: CallCase, outcome: Outcome, tolerance: float, paste: Paste) -> Caveat:
    """The shortest call beyond the known ones whose answer differs; or how the run of all of them ended."""
    found = [each for each in differences(case.expected or b"", outcome.run.stdout, tolerance) if not each.subject]
    if outcome.run.exit == 0 and found:
        return _caveat(case, found, Subject.INPUT, paste)
    calls = calls_of(case)
    short = min(calls, key=len)
    return Caveat(
        Subject.INPUT, f"{len(calls)} calls, the shortest {short}"[:MOST_INPUT], "each of them ends", outcome.detail,
        case.beyond[calls.index(short)], paste(short), case.held_out,
    )  # fmt: skip


def _caveat(case: Case, found: Sequence[Difference], subject: Subject | None, paste: Paste) -> Caveat:
    calls = calls_of(case)
    each = min(found, key=lambda each: len(each.call))
    made = each.at < len(calls)
    because = case.beyond[each.at] if isinstance(case, CallCase) and case.beyond and made else ""
    return Caveat(
        subject or Subject.INPUT,
        (each.call or "all calls together")[:MOST_INPUT],
        around(each.expected, each.got),
        around(each.got, each.expected),
        each.because or because or "what such calls leave behind",
        paste(calls[each.at]) if made else "",
        case.held_out,
        apart=max(each.apart for each in found),
    )
