"""The output that a GitHub Actions job can show without any permission: annotations in its log, and its summary."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from codeopt.core.sanitize import log_line
from codeopt.review.reporters import markdown
from codeopt.review.reporters._comments import short
from codeopt.review.reporters._finding import lines, sentence
from codeopt.review.reporters._text import command_data, command_property
from codeopt.review.suggestion import Review, Suggestion

SUMMARY_BYTES = 900_000
"""The runner refuses more than 1 MiB a step."""


def in_the_log(review: Review) -> str:
    """A workflow command a line, `::notice file=...::...`; the only ones, whatever stands in the review."""
    return "".join(_annotation(found) for found in review.suggestions)


def _annotation(found: Suggestion) -> str:
    first, last = lines(found)
    where = f"file={command_property(found.path)},line={first},endLine={last}"
    title = command_property(f"codeopt: {short(found)}")
    return f"::notice {where},title={title}::{command_data(log_line(sentence(found), 1000))}\n"


def write_summary(review: Review, environ: Mapping[str, str]) -> str:
    """Add the whole review to the job's summary; why that was not possible, empty where it was or there is none."""
    path = environ.get("GITHUB_STEP_SUMMARY", "")
    if not path:
        return ""
    try:
        with Path(path).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(markdown.render(review)[:SUMMARY_BYTES])
    except OSError as error:
        return f"cannot write the summary of the job: {error.strerror}"
    return ""
