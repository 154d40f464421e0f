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

    def add(kind: str, description: str, mark: str, severity: str, path: str, first: int, last: int) -> None:
        location = {"path": path, "lines": {"begin": first, "end": last}}
        known = {"check_name": f"codeopt {kind}", "description": log_line(description, 1000), "fingerprint": mark}
        found.append({**known, "severity": severity, "location": location})

    for suggestion in review.suggestions:
        first, last = lines(suggestion)
        taken = sum(one["fingerprint"].startswith(fingerprint(suggestion)) for one in found)
        mark = fingerprint(suggestion) + str(taken or "")
        add(rule(suggestion), sentence(suggestion), mark, "info", suggestion.path, first, last)
    if review.not_checked_reason:
        path = review.skipped[0].path if review.skipped else "pyproject.toml"
        mark = hashlib.sha256(f"codeopt nothing-looked-at {path}".encode()).hexdigest()
        add("nothing-looked-at", review.not_checked_reason, mark, "major", path, 1, 1)
    return json.dumps(found, indent=2) + "\n"
