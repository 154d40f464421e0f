"""A unified diff of all suggestions, to the character: `git apply` and `patch -p1` take it."""

from __future__ import annotations

from codeopt.core.revision import merged, patch
from codeopt.review.reporters._finding import reporter
from codeopt.review.suggestion import Review, best_first


@reporter
def render(review: Review) -> str:
    """One part a file; where two suggestions touch the same lines the faster one is in it."""
    parts = []
    for path in sorted({each.path for each in review.suggestions}):
        here = best_first([each for each in review.suggestions if each.path == path])
        text, _ = merged(here[0].original, [suggestion.improved for suggestion in here])
        parts.append(patch(path, here[0].original, text))
    return "".join(parts)
