"""One object in the reviewdog diagnostic format: `codeopt review ... | reviewdog -f=rdjson`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from codeopt.review.reporters._edits import LineEdit
from codeopt.review.reporters._finding import NAME, one_edit, rule, sentence
from codeopt.review.reporters._places import place
from codeopt.review.reporters._reporter import reporter
from codeopt.review.reporters._text import code, prose
from codeopt.review.suggestion import Review

SOURCE = {"name": NAME}


@reporter
def render(review: Review) -> str:
    """All suggestions as one DiagnosticResult."""
    found = list(diagnostics(review))
    return json.dumps({"source": SOURCE, "severity": "INFO", "diagnostics": found}, indent=2) + "\n"


def diagnostics(review: Review) -> Iterator[dict[str, Any]]:
    """A Diagnostic for each part: reviewdog shows one range of lines a comment, which has to be inside one hunk."""
    for placed in place(review):
        found = placed.suggestion
        changes = [edit for edit, _ in placed.parts] or list(filter(None, [one_edit(found)]))  # for other tools
        for number, edit in enumerate(changes, 1):
            part = f"part {number} of {len(changes)}, to be applied together: " if len(changes) > 1 else ""
            yield {
                "message": part + sentence(found, code, prose),  # reviewdog puts it into a comment as Markdown
                "location": {"path": found.path, "range": _range(edit)},
                "severity": "INFO",
                "source": SOURCE,
                "code": {"value": rule(found)},
                "suggestions": _suggestions(edit),
            }


def _range(edit: LineEdit) -> dict[str, Any]:
    """Without columns it means whole lines, the last one included."""
    return {"start": {"line": edit.start}, "end": {"line": edit.end}}


def _suggestions(edit: LineEdit) -> list[dict[str, Any]]:
    """Format the edit as whole lines without the last line end. Empty text means deletion.

    One empty line would look the same, so it is left to the diff.
    """
    text = edit.text.removesuffix("\n").removesuffix("\r")
    if not text and edit.text:
        return []
    return [{"range": _range(edit), "text": text}]
