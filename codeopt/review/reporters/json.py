"""One JSON object, all in ASCII: nothing in it steers a terminal or is a command in a log."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from codeopt.core.diagnostic import as_rows
from codeopt.core.run_store import digest
from codeopt.core.version import __version__
from codeopt.review.patch import patch
from codeopt.review.suggestion import Review, Suggestion

SCHEMA = "codeopt.review/1"


def render(review: Review) -> str:
    """The whole review; fields may be added, these stay."""
    return dump(to_json(review)) + "\n"


def to_json(review: Review) -> dict[str, Any]:
    """The object that `codeopt review --json` prints."""
    return {
        "schema": SCHEMA,
        "codeopt_version": __version__,
        "base": review.base,
        "head": review.head,
        "suggestions": [_suggestion(each) for each in review.suggestions],
        "skipped": [asdict(each) for each in review.skipped],
        "notices": list(review.notices),
        "shortfalls": as_rows(review.shortfalls),
        "blind": review.blind,
        "machine": dict(review.machine),
        "python": dict(review.python) if review.python else None,
        "cost_usd": review.cost_usd,
    }


def dump(value: Any) -> str:
    """JSON on one line that is no command of a CI system either: `##[` could be one anywhere in a line."""
    return json.dumps(value).replace("##", "\\u0023#")


def _suggestion(suggestion: Suggestion) -> dict[str, Any]:
    return {
        "path": suggestion.path,
        "function": suggestion.function,
        "task": suggestion.task,
        "speedup": dict(suggestion.speedup) or None,
        "evidence": dict(suggestion.evidence),
        "growth": suggestion.growth,
        "changes": list(suggestion.changes),
        "caveats": [each.to_json() for each in suggestion.caveats],
        "together": suggestion.together,
        "share": suggestion.share,
        "sha256_before": digest(suggestion.original),
        "sha256_after": digest(suggestion.improved),
        "diff": patch(suggestion.path, suggestion.original, suggestion.improved),
    }
