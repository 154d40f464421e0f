"""From the original and the improved text of a file to edits of line ranges, each inside one hunk of the change.

A platform takes a suggestion only for lines of one hunk, and refuses a whole review for one range that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from codeopt.core.merging import lines_of

_HEADER = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)


@dataclass(frozen=True)
class LineEdit:
    """Lines `start` to `end` (1-based, both included) become `text`; nothing is replaced when `end` is `start - 1`."""

    start: int
    end: int
    text: str
    """Whole lines with their ends; empty to delete."""


@dataclass(frozen=True)
class Hunk:
    """A part of the change: consecutive lines of the new file."""

    path: str
    start: int
    """First line in the new file."""
    end: int
    """Last line in the new file."""

    def holds(self, edit: LineEdit) -> bool:
        """Every line that is replaced is a line of this hunk."""
        return self.start <= edit.start <= edit.end <= self.end


def edits(original: str, improved: str) -> tuple[LineEdit, ...]:
    """The edits that turn `original` into `improved`, with as few lines as difflib finds; no two of them touch."""
    old, new = lines_of(original), lines_of(improved)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    inner_old, inner_new = old[head : len(old) - tail], new[head : len(new) - tail]
    matcher = SequenceMatcher(None, inner_old, inner_new, autojunk=False)
    return tuple(
        LineEdit(head + a + 1, head + b, "".join(inner_new[c:d]))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )


def inside(original: str, changes: Sequence[LineEdit], hunks: Sequence[Hunk]) -> tuple[LineEdit, ...] | None:
    """The edits, one a hunk that holds it; None when one of them is outside of the change.

    Edits of the same hunk become one: a click must give the whole of it, or a program without its import is left.
    """
    lines = lines_of(original)
    placed: list[tuple[LineEdit, Hunk]] = []
    for change in changes:
        found = next(_anchored(change, lines, hunks), None)
        if found is None:
            return None
        edit, hunk = found
        if placed and placed[-1][1] is hunk:
            edit = _joined(placed.pop()[0], change, lines)
        placed.append((edit, hunk))
    return tuple(edit for edit, _ in placed)


def whole(path: str, original: str) -> Hunk:
    """The file as if the change had written all of it: every edit of it is inside."""
    return Hunk(path, 1, len(lines_of(original)))


def hunks(diff: str) -> tuple[Hunk, ...]:
    """The hunks of a unified diff; lines are counted, so that no text inside a hunk is taken for a header."""
    found: list[Hunk] = []
    path = ""
    lines = iter(diff.split("\n"))
    for line in lines:
        if line.startswith("+++ "):
            path = _path(line[4:])
        elif header := _HEADER.match(line):
            old_count, start, new_count = (1 if number is None else int(number) for number in header.groups())
            taken = _taken(lines, old_count, new_count)
            if path and taken:
                found.append(Hunk(path, start, start + taken - 1))
    return tuple(found)


def _taken(lines: Iterator[str], old_left: int, new_left: int) -> int:
    """Read one hunk to its end; returns the number of its lines in the new file."""
    taken = 0
    while old_left > 0 or new_left > 0:
        kind = next(lines, None)
        if kind is None:
            break
        if kind.startswith("\\"):  # "No newline at end of file" is about the line above
            continue
        added, removed = kind.startswith("+"), kind.startswith("-")
        old_left, new_left, taken = old_left - (not added), new_left - (not removed), taken + (not removed)
    return taken


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of lines at the beginning that are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _anchored(change: LineEdit, lines: Sequence[str], hunks: Sequence[Hunk]) -> Iterator[tuple[LineEdit, Hunk]]:
    """The edit in each hunk that can hold it; an insertion takes a neighbour with it, since a line must be named."""
    ways = [change]
    if change.end < change.start:
        ways = []
        if change.start > 1:
            ways.append(LineEdit(change.end, change.end, lines[change.end - 1] + change.text))
        if change.start <= len(lines):
            ways.append(LineEdit(change.start, change.start, change.text + lines[change.start - 1]))
    return ((edit, hunk) for edit in ways for hunk in hunks if hunk.holds(edit))


def _joined(first: LineEdit, second: LineEdit, lines: Sequence[str]) -> LineEdit:
    """One edit for both, with the lines between them; `second` may be an insertion."""
    between = "".join(lines[first.end : second.start - 1])
    return LineEdit(first.start, max(first.end, second.end), first.text + between + second.text)


def _path(text: str) -> str:
    """Return the path of a `+++` line below the root. Empty for /dev/null. Git quotes unusual
    names as C does.
    """
    if text.startswith('"'):
        quoted = text.rstrip()[1:].removesuffix('"').encode("utf-8", "surrogateescape")
        text = _ESCAPE.sub(_unescaped, quoted).decode("utf-8", "replace")
    else:
        text = text.partition("\t")[0].removesuffix("\r")
    return "" if text == "/dev/null" else text[2:] if text[:2] in ("a/", "b/") else text


def _unescaped(match: re.Match[bytes]) -> bytes:
    code = match.group(1)
    if code[0] in b"01234567":
        return bytes([int(code, 8) & 0xFF])
    return dict(zip(b"abtnvfr", b"\a\b\t\n\v\f\r", strict=True)).get(code[0], code[0]).to_bytes()
