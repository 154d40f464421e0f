"""Calls of a function as cases, and caveats about differences that do not make a candidate wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from codeopt_sandbox.call_answer import CallAnswer, CallRun
from codeopt_sandbox.caveat import Caveat, CaveatKind
from codeopt_sandbox.comparing import AnswerComparison, AnswerDifference, AnsweredCase
from codeopt_sandbox.guest.calls.batch import batch_of
from codeopt_sandbox.outcome import Case, Outcome

MOST_INPUT = 300
"""Characters of a call in a caveat."""


@dataclass(frozen=True)
class CallCase(AnsweredCase):
    """Calls with some unusual ones, or calls that are made together."""

    beyond: tuple[str, ...] = ()
    """Reason of each call; empty in a case whose calls are all like known ones."""
    several: bool = False
    """Each of them is a scenario, no single call."""


@dataclass(frozen=True)
class WholeCase(AnsweredCase):
    """Timed calls, made as they are timed, and looked at as calls that are checked."""


def calls_of(case: Case) -> Sequence[str]:
    """The calls of a case as expressions."""
    return batch_of(case.stdin).calls


Paste = Callable[[str], str]
"""A call as a line for a shell."""


@dataclass(frozen=True)
class CaveatRules:
    """Rules that decide which difference is a caveat, and the text of a caveat."""

    comparison: AnswerComparison
    paste: Paste
    accepts: Callable[[AnswerDifference], bool] | None = None
    """Returns True if the user's checker accepts a difference."""


def without_unsteady(case: AnsweredCase, run: CallRun, again: CallRun) -> CallRun:
    """Return the candidate's run without effects of calls that vary.

    If the original's second run differs from the expected answer of a call, the candidate gets the expected answer
    there.
    """
    wanted, answer, original = case.answer, run.answer, again.answer
    if wanted is None or answer is None or original is None:
        return run
    every = wanted.outcomes, answer.outcomes, original.outcomes
    if len(set(map(len, every))) > 1:
        return run
    exact = AnswerComparison()
    kept = [was if exact.of_one(was, other) else now for was, now, other in zip(*every, strict=True)]
    state = answer.state if exact.same_state(wanted, original) else wanted.state
    return replace(run, answer=replace(answer, outcomes=tuple(kept), state=state))


def call_caveats(case: AnsweredCase, got: CallAnswer | None, rules: CaveatRules) -> tuple[Caveat, ...]:
    """The shortest call whose answer differs, for each reason."""
    if case.answer is None or got is None:
        return ()
    groups: dict[tuple[CaveatKind | None, str], list[AnswerDifference]] = {}
    lines = _Lines(case, calls_of(case), len(case.answer.outcomes))
    for each in rules.comparison.differences(case.answer, got):
        if rules.accepts and each.answers and not each.subject and rules.accepts(each):
            continue
        groups.setdefault((each.subject, each.because or lines.why(each)), []).append(each)
    return tuple(_caveat(lines, found, because, rules.paste) for (_, because), found in groups.items())


LENIENT = "it is generated, and --mutated-inputs is lenient"


def beyond_caveats(case: CallCase, outcome: Outcome, rules: CaveatRules) -> tuple[Caveat, ...]:
    """Return the caveats of unusual calls, or one about the end of the whole run."""
    if outcome.run.exit == 0 and outcome.run.stop is None:
        found = call_caveats(case, outcome.run.answer if isinstance(outcome.run, CallRun) else None, rules)
        about = [each.kind is CaveatKind.INPUT and each.cause != LENIENT for each in found]
        return tuple(replace(each, domain=(each.cause,) * here) for each, here in zip(found, about, strict=True))
    calls = calls_of(case)
    short = min(calls, key=len)
    words = f"{len(calls)} calls, the shortest {short}"[:MOST_INPUT]
    because = case.beyond[calls.index(short)]
    return (
        Caveat(
            CaveatKind.INPUT, words, "each of them ends", outcome.detail, because, rules.paste(short), case.held_out
        ),
    )


@dataclass(frozen=True)
class _Lines:
    """The calls of a case, and how many of its expected lines are answers."""

    case: Case
    calls: Sequence[str]
    shown: int

    def place(self, each: AnswerDifference) -> int | None:
        """Place of a call in its case, of which the first may only warm up; None for what all calls leave behind."""
        return len(self.calls) - self.shown + each.at if each.at < self.shown else None

    def why(self, each: AnswerDifference) -> str:
        """Return the reason why the result of a call may differ."""
        at = self.place(each)
        known = self.case.beyond if isinstance(self.case, CallCase) else ()
        return known[at] if known and at is not None else "what such calls leave behind"


def _caveat(lines: _Lines, found: Sequence[AnswerDifference], because: str, paste: Paste) -> Caveat:
    each = min(found, key=lambda each: len(each.call))
    at = lines.place(each)
    return Caveat(
        each.subject or CaveatKind.INPUT,
        (each.call or "all calls together")[:MOST_INPUT],
        each.expected,
        each.got,
        because,
        paste(lines.calls[at]) if at is not None else "",
        lines.case.held_out,
        max_float_difference=max(each.apart for each in found),
        count=len(found),
    )
