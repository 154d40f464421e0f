"""One word for a judged draft, in JSON and for people."""

from __future__ import annotations

from codeopt.core.history import Candidate
from codeopt_sandbox.outcome import Verdict

STATUS = {"tried": "screened", "right": "correct", "refused": "rejected"}
"""Words of `verdict` in JSON, as in earlier releases -> words of `status`, which people read too."""
_IN_THE_TABLE = {**STATUS, "same": "not significant"}


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
