"""Reasons and stop rules that tasks share."""

from __future__ import annotations

from codeopt.core.history import Candidate, Critique, History
from codeopt.core.words import more_time
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import CaseVerdict

MAX_SLOWDOWN = 0.05
"""The share of time that a task whose aim is not speed may cost."""


def common_rejection(candidate: Candidate) -> str:
    """Return the reason why every task rejects a candidate: rejected, wrong, or never compared.

    Empty if none applies.
    """
    if candidate.rejection:
        return candidate.rejection
    if not candidate.correct:
        wrong = next((outcome.verdict for outcome in candidate.outcomes if outcome.verdict is not CaseVerdict.AC), None)
        return f"it is not right on every case ({wrong})" if wrong else "it was not run"
    if candidate.comparison is None:
        return "it was not compared with the original"
    if candidate.comparison.decision is Decision.WRONG:
        return candidate.comparison.reason or "a timed run gave a wrong answer or failed"
    return ""


def too_slow(candidate: Candidate) -> str:
    """Return the reason if it is slow by the ratio itself, as a wide interval does not excuse it.

    Empty if it is not slow.
    """
    found = candidate.by("time")
    if found is None or found.decision in (Decision.FASTER, Decision.SAME) or found.ratio >= 1 / (1 + MAX_SLOWDOWN):
        return ""
    return f"it {more_time(found.ratio)} than the original; at most {MAX_SLOWDOWN:.0%} is allowed"


def critic_is_done(critique: Critique, history: History) -> bool:
    """The paper's stop rule, believed only of a draft that was measured and found right.

    On the original it is not believed: one draft costs less than the doubt, and reading is not measuring.
    """
    return critique.sufficient and len(history.candidates) > 1 and history.last.correct
