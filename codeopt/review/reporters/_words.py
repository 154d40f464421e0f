"""A suggestion's figures in words, the same in every report. Except for `where`, only numbers and codeopt's
own words.
"""

from __future__ import annotations

from codeopt.core.words import Speedup, counted, plural
from codeopt.report.evidence_words import calls_in_words
from codeopt.review.suggestion import Review, Skipped, Suggestion, full_name

UNTIMED = "better by its task's measure"


def where(found: Suggestion | Skipped) -> str:
    """`path::function`, as it is: quote it."""
    return full_name(found.path, found.function)


def gain(suggestion: Suggestion) -> str:
    """`4.2x faster   45 ms -> 11 ms CPU time   (95% CI 3.9x to 4.5x)`."""
    found = _speedup(suggestion)
    return found.words if found else UNTIMED


def short(suggestion: Suggestion) -> str:
    """`4.2x faster`."""
    found = _speedup(suggestion)
    return found.gain if found else UNTIMED


def certainty(suggestion: Suggestion) -> str:
    """`, 45 ms -> 11 ms CPU time, 95% CI 3.9x to 4.5x`. Empty if nothing was timed."""
    found = _speedup(suggestion)
    return f", {found.certainty}" if found else ""


def pairs(suggestion: Suggestion) -> str:
    """` in 21 pairs of runs`. Empty if nothing was timed."""
    found = _speedup(suggestion)
    return f" in {counted(found.pairs, 'pair')} of runs" if found else ""


def claim(suggestion: Suggestion) -> str:
    """Format the speedup as a predicate: `can be 4.2x faster (...)`, `can use 11x less memory (...)`."""
    found = _speedup(suggestion)
    return f"{found.can_gain} ({found.certainty})" if found else f"can be {UNTIMED}"


def _speedup(suggestion: Suggestion) -> Speedup | None:
    found = suggestion.speedup
    return found.figures if found and found.ratio is not None else None


def proof(suggestion: Suggestion) -> str:
    """The evidence: `42 calls: 12 from tests, 30 generated; 3 tests; 100% of the function's lines`."""
    evidence = suggestion.evidence
    sources: dict[str, int] = dict(evidence.get("sources") or {})
    if not evidence.get("calls"):
        return f"{counted(sources.get('cases', 0), 'test case')} and inputs made from them"
    parts = [calls_in_words(sources)]
    if tests := evidence.get("tests"):
        parts.append(counted(tests, "test"))
    if (coverage := evidence.get("line_coverage")) is not None:
        parts.append(f"{coverage:.0%} of the function's lines")
    if suggestion.together > 1:
        parts.append(f"by itself and with all {suggestion.together} suggestions for this file applied")
    return "; ".join(parts)


def count(number: int) -> str:
    """`1 suggestion`, `3 suggestions`."""
    return f"{number or 'no'} {plural(number, 'suggestion')}"


def machine(review: Review) -> str:
    """The machine it was measured on; a ratio from one machine is no promise for another."""
    found = review.machine
    return f"{found.get('cpu', '?')}, {found.get('cores', '?')} cores, {found.get('python', '?')}"
