"""One object in the reviewdog diagnostic format: `codeopt review ... | reviewdog -f=rdjson`."""

from __future__ import annotations

import json
from typing import Any

from codeopt.core.sanitize import printable
from codeopt.review.reporters import _finding
from codeopt.review.suggestion import Review

SOURCE = {"name": _finding.NAME}
LONGEST = 50_000
"""Characters of a suggested text; a comment on GitHub takes 65,536."""


@_finding.reporter
def render(review: Review) -> str:
    """All suggestions as one DiagnosticResult."""
    diagnostics: list[dict[str, Any]] = []
    # One for each part: reviewdog offers a range for a click if one hunk of the change holds all of it.
    change = _finding.hunks(review.diff)
    for found in review.suggestions:
        here = [hunk for hunk in change if hunk.path == found.path]
        parts = _finding.inside(found.original, _finding.edits(found.original, found.improved), here)
        changes = parts or list(filter(None, [_finding.one_edit(found)]))
        for number, edit in enumerate(changes, 1):
            part = f"part {number} of {len(changes)}, to be applied together: " if len(changes) > 1 else ""
            said = _finding.sentence(found, _finding.code, _finding.prose)  # reviewdog comments with it as Markdown
            row = {
                "message": part + said,
                "location": {"path": found.path, "range": _range(edit)},
                "severity": "INFO",
                "source": SOURCE,
                "code": {"value": _finding.rule(found)},
                "suggestions": _suggestions(edit),
            }
            diagnostics.append(row)
    return json.dumps({"source": SOURCE, "severity": "INFO", "diagnostics": diagnostics}, indent=2) + "\n"


def _range(edit: _finding.LineEdit) -> dict[str, Any]:
    """Without columns it means whole lines, the last one included."""
    return {"start": {"line": edit.start}, "end": {"line": edit.end}}


def _suggestions(edit: _finding.LineEdit) -> list[dict[str, Any]]:
    """Format the edit as whole lines without the last line end. Empty text means deletion.

    One empty line would look the same, so it is not offered. Nor is text that a reader does not see whole, for its
    length or for characters that reorder or hide others.
    """
    text = edit.text.removesuffix("\n").removesuffix("\r")
    plain = edit.text.replace("\r\n", "\n")
    if (not text and edit.text) or len(text) > LONGEST or printable(plain) != plain:
        return []
    return [{"range": _range(edit), "text": text}]
