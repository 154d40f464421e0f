"""A suggestion's figures in words, the same in every report. Numbers and our own words only, but for `where`."""

from __future__ import annotations

from typing import Any

from codeopt.core.words import Speedup, can_gain, counted, plural
from codeopt.review.suggestion import Review, Skipped, Suggestion, full_name

UNTIMED = "better by its task's measure"
_KINDS = {
    "tests": "from tests",
    "doctests": "from doctests",
    "recorded": "recorded",
    "calls_file": "from a calls file",
    "hints": "made from type hints",
    "model": "written by a model",
    "derived": "generated from those",
}


def where(found: Suggestion | Skipped) -> str:
    """`path::function`, as it is: quote it."""
    return full_name(found.path, found.function)


def gain(suggestion: Suggestion) -> str:
    """`4.20x faster (95% interval 3.90 - 4.50, 21 pairs, CPU time)`."""
    found = _speedup(suggestion)
    return found.words if found else UNTIMED


def claim(suggestion: Suggestion) -> str:
    """The same as a predicate: `can be 4.20x faster (...)`, `can use 10.75x less memory (...)`."""
    found = _speedup(suggestion)
    return f"{can_gain(found.ratio, found.clock)} ({found.certainty})" if found else f"can be {UNTIMED}"


def _speedup(suggestion: Suggestion) -> Speedup | None:
    figures = suggestion.speedup
    return Speedup.from_json(dict(figures)) if figures and figures.ratio is not None else None


def proof(suggestion: Suggestion) -> str:
    """The evidence: `42 calls (12 from tests, 30 generated from those), 3 tests, 100% of the lines`."""
    evidence = suggestion.evidence
    sources: dict[str, Any] = dict(evidence.get("sources") or {})
    if not evidence.get("calls"):
        cases = sources.get("cases", 0)
        return f"{cases} cases and inputs changed from them"
    order = sorted(sources.items(), key=lambda pair: (pair[0] == "derived", -pair[1]))
    parts = [f"{evidence['calls']} calls (" + ", ".join(f"{n} {_KINDS.get(kind, 'others')}" for kind, n in order) + ")"]
    if tests := evidence.get("tests"):
        parts.append(counted(tests, "test"))
    if (coverage := evidence.get("line_coverage")) is not None:
        parts.append(f"{coverage:.0%} of the function's lines")
    if suggestion.together > 1:
        parts.append(f"by itself and with all {suggestion.together} suggestions for this file applied")
    return ", ".join(parts)


def count(number: int) -> str:
    """`1 suggestion`, `3 suggestions`."""
    return f"{number or 'no'} {plural(number, 'suggestion')}"


def machine(review: Review) -> str:
    """The machine it was measured on; a ratio from one machine is no promise for another."""
    found = review.machine
    return f"{found.get('cpu', '?')}, {found.get('cores', '?')} cores, {found.get('python', '?')}"
