"""A suggestion's figures in words, the same in every report. Except for `where`, only numbers and codeopt's
own words.
"""

from __future__ import annotations

from codeopt.core.evidence import CallEvidence
from codeopt.core.words import counted, plural
from codeopt.report.evidence_words import calls_in_words
from codeopt.review.suggestion import Review, Skipped, Suggestion, full_name


def where(found: Suggestion | Skipped) -> str:
    """`path::function`, as it is: quote it."""
    return full_name(found.path, found.function)


def certainty(suggestion: Suggestion) -> str:
    """`, 45 ms -> 11 ms CPU time, 95% CI 3.9x to 4.5x`. Empty if nothing was timed."""
    return f", {suggestion.speedup.certainty}" if suggestion.speedup else ""


def claim(suggestion: Suggestion) -> str:
    """Format the speedup as a predicate: `can be 4.2x faster (...)`, `can use 11x less memory (...)`."""
    found = suggestion.speedup
    return f"{found.can_gain} ({found.certainty})" if found else f"can be {suggestion.gain}"


def proof(suggestion: Suggestion) -> str:
    """The evidence: `42 calls: 12 from tests, 30 generated; 3 tests; 100% of the function's lines`."""
    found, cases = suggestion.verdict.evidence.checked, suggestion.verdict.evidence.cases
    if not isinstance(found, CallEvidence) or not found.calls:
        return f"{counted(cases.total if cases else 0, 'test case')} and inputs made from them"
    parts = [calls_in_words(found.sources)]
    parts += [counted(found.tests, "test")] * bool(found.tests)
    if found.line_coverage is not None:
        parts.append(f"{found.line_coverage:.0%} of the function's lines")
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
