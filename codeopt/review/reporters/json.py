"""One JSON object, all in ASCII: nothing in it steers a terminal or is a command in a log."""

from __future__ import annotations

import json
from typing import Any

from codeopt.core.version import __version__
from codeopt.report.answer_fields import MachineFields, read, serialize
from codeopt.report.answers import ReviewJson, SkippedFields, SuggestionFields
from codeopt.review.reporters._finding import reporter
from codeopt.review.suggestion import ComparedFunction, Review, Suggestion


@reporter
def render(review: Review) -> str:
    """The whole review; fields may be added, these stay."""
    return dump(answer(review).to_json()) + "\n"


def answer(review: Review) -> ReviewJson:
    """The object that `codeopt review --json` prints."""
    return ReviewJson(
        schema="codeopt.review/1",
        codeopt_version=__version__,
        base=review.base,
        head=review.head,
        suggestions=tuple(map(_suggestion, review.suggestions)),
        skipped=SkippedFields.each(review.skipped),
        notices=review.notices,
        limits=[_limit(limit) for limit in review.limits],
        diagnostics=review.diagnostics,
        not_checked_reason=review.not_checked_reason,
        machine=read(MachineFields, review.machine),
        python=review.python,
        cost_usd=review.cost_usd,
    )


def _suggestion(suggestion: Suggestion) -> SuggestionFields:
    evidence = suggestion.verdict.evidence
    names = ("task", "together", "sha256_before", "sha256_after", "diff")
    return SuggestionFields(
        **suggestion.row,
        **{name: getattr(suggestion, name) for name in names},
        evidence=serialize(evidence.checked) if evidence.checked else None,
        tests=evidence.cases,
    )


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
