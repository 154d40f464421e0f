"""Suggestions as the Markdown of comments, the same for GitHub and GitLab; nothing in them that is not ours can act."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from codeopt.core.sanitize import log_line
from codeopt.review.reporters import _words
from codeopt.review.reporters._edits import LineEdit
from codeopt.review.reporters._places import Placed
from codeopt.review.reporters._text import block, code, prose
from codeopt.review.suggestion import Review, Suggestion

LIMIT = 60_000
"""Characters of a body; GitHub takes 65,536."""
WITHDRAWN = "<!-- codeopt -->\n*This suggestion no longer applies and was withdrawn.*\n"
_MARK = re.compile(r"<!-- codeopt:(comment|review)((?: [0-9a-f]{32})*) -->(?:\n|\Z)")


def mark(kind: str, keys: Iterable[str]) -> str:
    """The hidden first line of a body, by which a later run knows it again."""
    return f"<!-- codeopt:{' '.join([kind, *keys])} -->\n"


def marked(kind: str, body: object) -> tuple[str, ...] | None:
    """Return the fingerprints in the first line of a body that codeopt wrote, None for other bodies.

    A mark in a later line is only text.
    """
    found = _MARK.match(body.replace("\r\n", "\n")) if isinstance(body, str) else None
    return tuple(found.group(2).split()) if found and found.group(1) == kind else None


def comment(placed: Placed, edit: LineEdit, part: int, review: Review, label: str = "suggestion") -> str:
    """The body of the comment that offers one part for a click."""
    found = placed.suggestion
    several = len(placed.parts) > 1
    head = f"Part {part} of {len(placed.parts)}, to be applied together with the others: " if several else ""
    return mark("comment", [placed.fingerprint]) + "\n\n".join(
        filter(
            None,
            [
                head + _headline(found),
                _changes(found),
                block(edit.text.replace("\r\n", "\n"), label, verbatim=True),
                _proof(found, review),
            ],
        )
    )


def overview(items: Sequence[Placed], comments: int, review: Review) -> str:
    """Format the body above the comments, with everything that has no line of its own. Diffs are added
    while they fit.
    """
    head = mark("review", [item.fingerprint for item in items])
    head += f"{_words.count(comments + len(items))} by codeopt; each was run, checked and timed."
    parts = [_headline(item.suggestion) for item in items]
    room = LIMIT - len(head) - sum(len(part) + 2 for part in parts)
    for number, item in enumerate(items):
        text = _folded(item, review)
        if len(text) - len(parts[number]) <= room:
            room -= len(text) - len(parts[number])
            parts[number] = text
    return "\n\n".join([head, *parts])[: LIMIT + 2_000] + "\n"


def _headline(suggestion: Suggestion) -> str:
    growth = f" Growth: {prose(suggestion.verdict.growth.text)}." if suggestion.verdict.growth.text else ""
    return f"{code(_words.where(suggestion))}: **{suggestion.gain}**{_words.certainty(suggestion)}.{growth}"


def _changes(suggestion: Suggestion) -> str:
    return "\n".join(f"- {prose(change)}" for change in suggestion.told)


def _proof(suggestion: Suggestion, review: Review) -> str:
    return (
        f"Verified by {_words.proof(suggestion)}. Measured{_words.pairs(suggestion)} on "
        f"{prose(_words.machine(review))}; on another machine it will differ."
    )


def _folded(item: Placed, review: Review) -> str:
    """Format a suggestion that has no place next to a line, as a diff to open."""
    found = item.suggestion
    title = f"<code>{html.escape(log_line(_words.where(found)))}</code>: {found.gain}"
    why = f"Not next to the lines: {item.why_not}." if item.why_not else ""
    inside = [_headline(found), _changes(found), _proof(found, review), why, block(found.diff, "diff")]
    text = "\n\n".join(filter(None, inside))
    return f"<details>\n<summary>{title}</summary>\n\n{text}\n\n</details>"
