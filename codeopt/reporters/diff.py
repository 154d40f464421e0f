"""A unified diff of all suggestions, to the character: `git apply` and `patch -p1` take it."""

from __future__ import annotations

from itertools import groupby

from codeopt.review.patch import merged, patch
from codeopt.review.suggestion import Review


def render(review: Review) -> str:
    """One part a file; where two suggestions touch the same lines the faster one is in it."""
    best_first = sorted(review.suggestions, key=lambda s: (s.path, -(s.speedup.get("ratio") or 0.0)))
    parts = []
    for path, group in groupby(best_first, key=lambda suggestion: suggestion.path):
        here = list(group)
        text, _ = merged(here[0].original, [suggestion.improved for suggestion in here])
        parts.append(patch(path, here[0].original, text))
    return "".join(parts)
