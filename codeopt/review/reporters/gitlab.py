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
    """An issue for each suggestion, and one at the first skipped file if no file could be examined."""
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
    if review.not_checked_reason:
        path = review.skipped[0].path if review.skipped else "pyproject.toml"
        found.append(
            {
                "check_name": "codeopt nothing-looked-at",
                "description": log_line(review.not_checked_reason, 1000),
                "fingerprint": hashlib.sha256(f"codeopt nothing-looked-at {path}".encode()).hexdigest(),
                "severity": "major",
                "location": {"path": path, "lines": {"begin": 1, "end": 1}},
            }
        )
    return json.dumps(found, indent=2) + "\n"
