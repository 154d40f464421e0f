"""A suggestion's figures in words, the same in every report. Numbers and our own words only, but for `where`."""

from __future__ import annotations

import math
from typing import Any

from codeopt.review.suggestion import Review, Skipped, Suggestion, full_name

_CLOCKS = {"cpu": "CPU time", "wall": "wall time", "memory": "peak memory"}
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
    """`4.20x as fast (95% interval 3.90 - 4.50, 21 pairs, CPU time)`."""
    figures = suggestion.speedup
    if not figures or figures.get("ratio") is None:
        return "better by its task's measure"
    what = "less memory" if figures.get("clock") == "memory" else "as fast"
    clock = _CLOCKS.get(str(figures.get("clock")), "CPU time")
    span = f"{_number(figures.get('ci_low'))} - {_number(figures.get('ci_high'))}"
    return f"{figures['ratio']:.2f}x {what} (95% interval {span}, {figures.get('pairs', 0)} pairs, {clock})"


def proof(suggestion: Suggestion) -> str:
    """What it was verified by: `42 calls (12 from tests, 30 generated from those), 3 tests, 100% of the lines`."""
    evidence = suggestion.evidence
    sources: dict[str, Any] = dict(evidence.get("sources") or {})
    if not evidence.get("calls"):
        cases = sources.get("cases", 0)
        return f"{cases} cases and inputs changed from them"
    order = sorted(sources.items(), key=lambda pair: (pair[0] == "derived", -pair[1]))
    parts = [f"{evidence['calls']} calls (" + ", ".join(f"{n} {_KINDS.get(kind, 'others')}" for kind, n in order) + ")"]
    if tests := evidence.get("tests"):
        parts.append(f"{tests} test{'s' * (tests != 1)}")
    if (coverage := evidence.get("line_coverage")) is not None:
        parts.append(f"{coverage:.0%} of the function's lines")
    if suggestion.together > 1:
        parts.append(f"by itself and with all {suggestion.together} suggestions for this file applied")
    return ", ".join(parts)


def count(number: int) -> str:
    """`1 suggestion`, `3 suggestions`."""
    return f"{number or 'no'} suggestion{'s' * (number != 1)}"


def machine(review: Review) -> str:
    """On what it was measured; a ratio from one machine is no promise for another."""
    found = review.machine
    return f"{found.get('cpu', '?')}, {found.get('cores', '?')} cores, {found.get('python', '?')}"


def _number(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, int | float) and math.isfinite(value) else "?"
