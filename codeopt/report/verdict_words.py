"""One word for a judged draft, in JSON and for people."""

from __future__ import annotations

from codeopt.core.history import Candidate
from codeopt.core.sanitize import inline
from codeopt.core.words import Speedup
from codeopt_sandbox.compare import Decision
from codeopt_sandbox.outcome import Verdict

STATUS = {"tried": "screened", "right": "correct", "refused": "rejected"}
"""Words of `verdict` in JSON, as in earlier releases -> words of `status`, which people read too."""
_IN_THE_TABLE = {
    **STATUS, "same": "no difference", "undecided": "inconclusive", "WA": "wrong result", "RE": "error",
    "TLE": "time limit", "MLE": "memory limit", "OLE": "output limit",
}  # fmt: skip


def verdict(candidate: Candidate) -> str:
    """One word for a candidate, as in JSON: its first failing verdict, or what the comparison decided."""
    failed = next((o.verdict for o in candidate.outcomes if o.verdict is not Verdict.AC), None)
    if failed:
        return failed
    if candidate.rejection:
        return "refused"
    return candidate.comparison.decision if candidate.comparison else "tried" if candidate.screening_only else "right"


def in_words(verdict: str) -> str:
    """A verdict as people read it."""
    return _IN_THE_TABLE.get(verdict, verdict)


def verdict_in_words(candidate: Candidate) -> str:
    """`1.2x faster`, `wrong result`: a verdict with its figure, if it has one."""
    word, found = verdict(candidate), candidate.comparison
    return Speedup.of(found).gain if found and word in ("faster", "slower") else in_words(word)


def why(candidate: Candidate) -> str:
    """Return the reason why a candidate is wrong or rejected, in one line. Empty if it is neither."""
    failed = next((o for o in candidate.outcomes if o.verdict is not Verdict.AC), None)
    reason = candidate.rejection or (f"case {failed.case}: {failed.detail}" if failed else "")
    if not reason and candidate.comparison and candidate.comparison.decision is Decision.REJECTED:
        reason = candidate.comparison.reason
    return inline(reason, 500) if reason else ""
