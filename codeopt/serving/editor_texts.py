"""Texts of an editor as the protocol counts them: edits of lines as text edits, and places as ranges."""

from __future__ import annotations

from lsprotocol import types as lsp

from codeopt.core.merging import lines_of
from codeopt.review.reporters._edits import edits


def text_edits(current: str, improved: str) -> list[lsp.TextEdit]:
    """The edits that turn one text into another, with as few lines as differ."""
    lines = lines_of(current)
    return [
        lsp.TextEdit(lsp.Range(_start(lines, edit.start - 1), _start(lines, edit.end)), edit.text)
        for edit in edits(current, improved)
    ]


def line_range(text: str, line: int) -> lsp.Range:
    """The whole of a line, counted from 0."""
    lines = lines_of(text)
    end = _units(lines[line].rstrip("\r\n")) if line < len(lines) else 0
    return lsp.Range(lsp.Position(line, 0), lsp.Position(line, end))


def _start(lines: list[str], line: int) -> lsp.Position:
    """Return the start of a line, from 0. After a last line without a line end it is the end of its text."""
    if line >= len(lines) and lines and not lines[-1].endswith("\n"):
        return lsp.Position(len(lines) - 1, _units(lines[-1]))
    return lsp.Position(line, 0)


def _units(text: str) -> int:
    """Length in UTF-16 code units, which the protocol counts in."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
