"""Outcomes of a judgement: one table of words and exit statuses, from which the screen, JSON and pages take them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from codeopt.core.errors import ProgramError
from codeopt.core.history import Candidate, Step
from codeopt.core.sanitize import inline
from codeopt.core.words import INCONCLUSIVE, NO_DIFFERENCE, Speedup, counted, directions
from codeopt_sandbox.call_answer import CallRun
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict, Outcome
from codeopt_sandbox.sequential_test import LimitAnswer

SCREENED: Literal["screened"] = "screened"
"""Verdict of a round that was only timed next to others."""
_CORRECT = "correct"
UNFINISHED = "not finished"
"""Word for a candidate that was not judged to its end."""

NOT_CONFIRMED = "screened, not confirmed"
"""Beginning of the caveat on a result of --quick."""


class About(StrEnum):
    """Subject of an inconclusive verdict."""

    RESULT = "result"
    """The new version could not be judged to the end."""
    SPEED = "speed"
    """The new version is right; the pairs could not decide about its speed, or none was made."""


class FailureKind(StrEnum):
    """The way in which a candidate is wrong."""

    WRONG_OUTPUT = "wrong_output"
    ERROR = "error"
    TIME_LIMIT = "time_limit"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    GUARD = "guard"
    """A guard rejects it; no result is wrong."""


@dataclass(frozen=True)
class OutcomeRow:
    """Words and exit status of one outcome."""

    words: str
    exit_status: int


OUTCOMES = {
    (Decision.FASTER, None): OutcomeRow("faster", 0),
    (Decision.SAME, None): OutcomeRow(NO_DIFFERENCE, 0),
    (Decision.SLOWER, None): OutcomeRow("slower", 0),
    (Decision.WRONG, None): OutcomeRow("wrong result", 1),
    (Decision.INCONCLUSIVE, About.SPEED): OutcomeRow(INCONCLUSIVE, 0),
    (Decision.INCONCLUSIVE, About.RESULT): OutcomeRow(INCONCLUSIVE, ProgramError.exit_status),
}
LIMITS = {
    LimitAnswer.PASS: OutcomeRow("PASS", 0),
    LimitAnswer.FAIL: OutcomeRow("FAIL", 1),
    LimitAnswer.INCONCLUSIVE: OutcomeRow(INCONCLUSIVE, ProgramError.exit_status),
}
_FAILURES = {
    FailureKind.WRONG_OUTPUT: "wrong result", FailureKind.ERROR: "error", FailureKind.TIME_LIMIT: "time limit",
    FailureKind.MEMORY_LIMIT: "memory limit", FailureKind.OUTPUT_LIMIT: "output limit", FailureKind.GUARD: "rejected",
}  # fmt: skip
_OF_A_RUN = {
    CaseVerdict.WA: FailureKind.WRONG_OUTPUT,
    CaseVerdict.RE: FailureKind.ERROR,
    CaseVerdict.TLE: FailureKind.TIME_LIMIT,
    CaseVerdict.MLE: FailureKind.MEMORY_LIMIT,
    CaseVerdict.OLE: FailureKind.OUTPUT_LIMIT,
}


def words_of(decision: Decision, about: About | None, metric: str = "cpu") -> str:
    """An outcome for people: `faster`, `more memory`, `no measurable difference`, `wrong result`, `inconclusive`."""
    better, worse = directions(metric)
    return {Decision.FASTER: better, Decision.SLOWER: worse}.get(decision, OUTCOMES[decision, about].words)


def failure_of(candidate: Candidate) -> FailureKind | None:
    """The way in which a candidate is wrong. None: it is right."""
    failed = next((o.verdict for o in candidate.outcomes if o.verdict is not CaseVerdict.AC), None)
    if failed:
        return _OF_A_RUN[failed]
    if candidate.rejection:
        return FailureKind.GUARD
    found = candidate.comparison
    if found is None or found.decision is not Decision.WRONG:
        return None
    return FailureKind.TIME_LIMIT if found.overrun else FailureKind.WRONG_OUTPUT


def verdict_of(candidate: Candidate) -> tuple[Decision, About | None]:
    """The outcome of a candidate. One that is right and was not timed is inconclusive about its speed.

    A text has a score and no speed.
    """
    if failure_of(candidate):
        return Decision.WRONG, None
    if candidate.step is not None:
        return Decision.INCONCLUSIVE, About.RESULT
    if candidate.scores and candidate.comparison is None:
        return Decision.SAME, None
    found = candidate.comparison.decision if candidate.comparison else Decision.INCONCLUSIVE
    return found, About.SPEED if found is Decision.INCONCLUSIVE else None


def so_far(candidate: Candidate) -> str:
    """Describe what is known of a candidate that was not judged to its end: its results, its screening, its tests."""
    if failure_of(candidate):
        return why(candidate)
    if not candidate.correct:
        return "interrupted before its results were known"
    found = candidate.comparison
    of_command = any(each.case == "command" for each in candidate.outcomes)
    known = ["right on the command" if of_command else "right on all that was tried"]
    if found and found.pairs:
        known.append(f"about {Speedup.of(found).gain} (screened, {counted(found.pairs, 'pair')})")
    elif candidate.step is not Step.CHECKS:
        known.append("not timed")
    return ", ".join([*known, *([candidate.tests.words] if candidate.tests else [])])


def is_screened(candidate: Candidate) -> bool:
    """Return True if a right candidate was timed only next to others, so that it has no outcome of its own."""
    return candidate.screening_only and not failure_of(candidate)


def word_of(candidate: Candidate) -> str:
    """An outcome for people, in a word or two: `faster`, `wrong result`, `no difference`."""
    if failure := failure_of(candidate):
        return _FAILURES[failure]
    if candidate.step is not None:
        return UNFINISHED
    if candidate.comparison is None:
        return SCREENED if candidate.screening_only else _CORRECT
    decision, about = verdict_of(candidate)
    return "no difference" if decision is Decision.SAME else words_of(decision, about)


def candidate_in_words(candidate: Candidate) -> str:
    """`1.2x faster`, `wrong result`: an outcome with its figure, if it has one."""
    found = candidate.comparison
    decision = verdict_of(candidate)[0]
    timed = found is not None and (
        decision is Decision.FASTER or (decision is Decision.SLOWER and found.ratio < 1)  # not on a whole input alone
    )
    return Speedup.of(found).gain if found and timed else word_of(candidate)


def why(candidate: Candidate) -> str:
    """Return the reason why a candidate is wrong or rejected, in one line. Empty if it is neither."""
    failed = next((o for o in candidate.outcomes if o.verdict is not CaseVerdict.AC), None)
    reason = candidate.rejection or (_failing(failed) if failed else "")
    if not reason and candidate.comparison and candidate.comparison.decision is Decision.WRONG:
        reason = candidate.comparison.reason
    return inline(reason, 500) if reason else ""


def _failing(outcome: Outcome) -> str:
    """Return the fault of a case. Cases of calls have names of our own, which say nothing to a user."""
    return outcome.detail if isinstance(outcome.run, CallRun) else f"case {outcome.case}: {outcome.detail}"
