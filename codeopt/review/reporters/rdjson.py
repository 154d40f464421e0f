"""One object in the reviewdog diagnostic format: `codeopt review ... | reviewdog -f=rdjson`."""

from __future__ import annotations

import json
from typing import Any

from codeopt.core.sanitize import printable
from codeopt.review.reporters._finding import (
    NAME,
    LineEdit,
    code,
    edits,
    hunks,
    inside,
    one_edit,
    prose,
    reporter,
    rule,
    sentence,
)
from codeopt.review.suggestion import Review

SOURCE = {"name": NAME}
LONGEST = 50_000
"""Characters of a suggested text; a comment on GitHub takes 65,536."""


@reporter
def render(review: Review) -> str:
    """All suggestions as one DiagnosticResult."""
    diagnostics: list[dict[str, Any]] = []
    # One for each part: reviewdog offers a range for a click if one hunk of the change holds all of it.
    change = hunks(review.diff)
    for found in review.suggestions:
        here = [hunk for hunk in change if hunk.path == found.path]
        parts = inside(found.original, edits(found.original, found.improved), here)
        changes = parts or list(filter(None, [one_edit(found)]))
        for number, edit in enumerate(changes, 1):
            part = f"part {number} of {len(changes)}, to be applied together: " if len(changes) > 1 else ""
            diagnostics.append(
                {
                    "message": part + sentence(found, code, prose),  # reviewdog puts it into a comment as Markdown
                    "location": {"path": found.path, "range": _range(edit)},
                    "severity": "INFO",
                    "source": SOURCE,
                    "code": {"value": rule(found)},
                    "suggestions": _suggestions(edit),
                }
            )
    return json.dumps({"source": SOURCE, "severity": "INFO", "diagnostics": diagnostics}, indent=2) + "\n"


def _range(edit: LineEdit) -> dict[str, Any]:
    """Without columns it means whole lines, the last one included."""
    return {"start": {"line": edit.start}, "end": {"line": edit.end}}


def _suggestions(edit: LineEdit) -> list[dict[str, Any]]:
    """Format the edit as whole lines without the last line end. Empty text means deletion.

    One empty line would look the same, so it is not offered. Nor is text that a reader does not see whole, for its
    length or for characters that reorder or hide others.
    """
    text = edit.text.removesuffix("\n").removesuffix("\r")
    plain = edit.text.replace("\r\n", "\n")
    if (not text and edit.text) or len(text) > LONGEST or printable(plain) != plain:
        return []
    return [{"range": _range(edit), "text": text}]
