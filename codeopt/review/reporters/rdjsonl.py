"""The reviewdog diagnostic format, a suggestion a line: `codeopt review ... | reviewdog -f=rdjsonl`."""

from __future__ import annotations

import json

from codeopt.review.reporters._reporter import reporter
from codeopt.review.reporters.rdjson import diagnostics
from codeopt.review.suggestion import Review


@reporter
def render(review: Review) -> str:
    """A Diagnostic a line; nothing where there are no suggestions."""
    return "".join(json.dumps(found) + "\n" for found in diagnostics(review))
