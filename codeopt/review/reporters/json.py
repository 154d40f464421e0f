"""One JSON object, all in ASCII: nothing in it steers a terminal or is a command in a log."""

from __future__ import annotations

import json
from typing import Any

from codeopt.core.version import __version__
from codeopt.report.answers import ReviewJson, SkippedFields, SuggestionFields, gather
from codeopt.review.reporters._finding import reporter
from codeopt.review.suggestion import ComparedFunction, Review, Suggestion


@reporter
def render(review: Review) -> str:
    """The whole review; fields may be added, these stay."""
    return dump(answer(review).to_json()) + "\n"


def answer(review: Review) -> ReviewJson:
    """The object that `codeopt review --json` prints."""
    return gather(
        ReviewJson,
        review,
        schema="codeopt.review/1",
        codeopt_version=__version__,
        suggestions=tuple(map(_suggestion, review.suggestions)),
        skipped=tuple(gather(SkippedFields, each) for each in review.skipped),
        limits=[_limit(limit) for limit in review.limits],
    )


def _suggestion(suggestion: Suggestion) -> SuggestionFields:
    verdict, evidence = suggestion.verdict, suggestion.verdict.evidence
    known = {"verdict": verdict.outcome, "evidence": evidence.checked, "tests": evidence.cases}
    return gather(SuggestionFields, verdict, suggestion, **known)


def _limit(row: ComparedFunction) -> dict[str, Any]:
    """A function against the limit. Without an answer it was not tested, and the verdict says why."""
    return {
        "path": row.path,
        "function": row.function,
        "verdict": row.verdict.outcome,
        "inconclusive_about": row.verdict.about,
        "answer": row.limit,
        "words": row.words,
    }


def dump(value: Any) -> str:
    """JSON on one line that is no command of a CI system either: `##[` could be one anywhere in a line."""
    return json.dumps(value).replace("##", "\\u0023#")
