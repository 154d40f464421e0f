"""SARIF 2.1.0 with fixes, for code scanning and for editors."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from codeopt.core.revision import lines_of
from codeopt.core.sanitize import log_line
from codeopt.core.version import __version__
from codeopt.report.answers import serialize
from codeopt.review.reporters._finding import NAME, LineEdit, edits, fingerprint, lines, reporter, rule, sentence
from codeopt.review.suggestion import Review, Suggestion

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_RULES = {
    "faster-function": "A function that can be faster",
    "faster-program": "A program that can be faster",
    "memory": "Code that can take less memory",
    "readability": "Code that can be clearer",
}


@reporter
def render(review: Review) -> str:
    """One run with a result for each suggestion."""
    found = review.suggestions
    driver = {
        "name": NAME,
        "version": __version__,
        "rules": [_rule(name) for name in sorted({rule(each) for each in found})],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(each) for each in found]}
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(name: str) -> dict[str, Any]:
    return {"id": name, "shortDescription": {"text": _RULES.get(name, name)}, "defaultConfiguration": {"level": "note"}}


def _result(suggestion: Suggestion) -> dict[str, Any]:
    first, last = lines(suggestion)
    message = {"text": _plain(sentence(suggestion))}
    artifact = {"uri": quote(suggestion.path), "uriBaseId": "%SRCROOT%"}
    original = lines_of(suggestion.original)
    replacements = [_replacement(edit, original) for edit in edits(suggestion.original, suggestion.improved)]
    checked = suggestion.verdict.evidence.checked or suggestion.verdict.evidence.cases
    result = {
        "ruleId": rule(suggestion),
        "level": "note",
        "message": message,
        "locations": [
            {"physicalLocation": {"artifactLocation": artifact, "region": {"startLine": first, "endLine": last}}}
        ],
        "partialFingerprints": {"codeopt/v1": fingerprint(suggestion)},
        "properties": {
            "speedup": serialize(suggestion.speedup) if suggestion.speedup else {},
            "evidence": serialize(checked) if checked else {},
        },
    }
    if replacements:
        changes = [{"artifactLocation": artifact, "replacements": replacements}]
        result["fixes"] = [{"description": message, "artifactChanges": changes}]
    return result


def _plain(text: str) -> str:
    """A message where `[text](target)` is no link and `{0}` no placeholder."""
    line = log_line(text, 1000).replace("\\", "\\\\")
    return line.replace("[", "\\[").replace("]", "\\]").replace("{", "{{").replace("}", "}}")


def _replacement(edit: LineEdit, original: list[str]) -> dict[str, Any]:
    start_line, start_column = _position(edit.start, original)
    end_line, end_column = _position(edit.end + 1, original)
    region = {"startLine": start_line, "startColumn": start_column, "endLine": end_line, "endColumn": end_column}
    return {"deletedRegion": region, **({"insertedContent": {"text": edit.text}} if edit.text else {})}


def _position(line: int, original: list[str]) -> tuple[int, int]:
    """Line and column of the start of a line; behind the last line without a line end, of the end of that."""
    if line <= len(original) or not original or original[-1].endswith("\n"):
        return line, 1
    return len(original), len(original[-1]) + 1
