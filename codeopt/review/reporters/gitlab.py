"""GitLab's code quality report, for `artifacts: reports: codequality`."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from codeopt.core.sanitize import log_line
from codeopt.review.reporters._finding import fingerprint, lines, reporter, rule, sentence
from codeopt.review.suggestion import Review


@reporter
def render(review: Review) -> str:
    """An issue for each suggestion."""
    found: list[dict[str, Any]] = []
    for suggestion in review.suggestions:
        first, last = lines(suggestion)
        taken = sum(one["fingerprint"].startswith(fingerprint(suggestion)) for one in found)
        found.append(
            {
                "check_name": f"codeopt {rule(suggestion)}",
                "description": log_line(sentence(suggestion), 1000),
                "fingerprint": fingerprint(suggestion) + str(taken or ""),
                "severity": "info",
                "location": {"path": suggestion.path, "lines": {"begin": first, "end": last}},
            }
        )
    return json.dumps([*found, *_blind(review)], indent=2) + "\n"


def _blind(review: Review) -> list[dict[str, Any]]:
    """Return an issue that reports that no file could be examined. It is placed at the first skipped file."""
    if not review.not_checked_reason:
        return []
    path = review.skipped[0].path if review.skipped else "pyproject.toml"
    return [
        {
            "check_name": "codeopt nothing-looked-at",
            "description": log_line(review.not_checked_reason, 1000),
            "fingerprint": hashlib.sha256(f"codeopt nothing-looked-at {path}".encode()).hexdigest(),
            "severity": "major",
            "location": {"path": path, "lines": {"begin": 1, "end": 1}},
        }
    ]
