"""Untrusted text (file names, program text, output, a model's words), made safe for its place.

No part of it can act: as a workflow command of a CI system, a mention, a link, a terminal escape, or a block's end.
"""

from __future__ import annotations

import re

from codeopt.core.sanitize import log_line, printable

GAP = "\u200b"
"""Zero-width space. A mention, a reference or an address with it inside no longer works."""

_MARKS = re.compile(r"[\\`*_\[\]<>|~&]")
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_REFERENCE = re.compile(r"[@#!$%&^~\[](?=[\w\[\"'({])|\bGH(?=-\d)|\b[0-9a-f]{6}(?=[0-9a-f]+\b)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=:)(?=//)|(?<=\bwww)(?=\.)|(?<=\bmailto)(?=:)|(?<=\bxmpp)(?=:)", re.IGNORECASE)
_LINE_START = re.compile(r"^(?=[-+=#>:/]|\d+[.)])")


def prose(text: str, limit: int = 300) -> str:
    """One line of Markdown that shows `text` as it is: no markup, no HTML, no mention, no link, no quick action."""
    line = log_line(text, limit)
    line = _REFERENCE.sub(lambda match: match.group() + GAP, line)
    line = _ADDRESS.sub(GAP, line)
    line = _MARKS.sub(lambda match: _ENTITIES.get(match.group(), f"\\{match.group()}"), line)
    return _LINE_START.sub(GAP, line)


def code(text: str, limit: int = 300) -> str:
    """One line in a Markdown code span that nothing in it can close; empty text gives none."""
    line = log_line(text, limit)
    if not line.strip():
        return ""
    marks = "`" * (longest_run(line) + 1)
    pad = " " if line[0] in "` " or line[-1] in "` " else ""
    return f"{marks}{pad}{line}{pad}{marks}"


def cell(text: str, limit: int = 300) -> str:
    """The text as `code` for a cell of a table."""
    return code(text, limit).replace("|", "\\|")


def block(text: str, label: str = "") -> str:
    """A Markdown code block that nothing in it can close; what is not plainly visible is escaped."""
    inside = printable(text)
    marks = fence(inside)
    return f"{marks}{label}\n{inside}{'' if inside.endswith(chr(10)) or not inside else chr(10)}{marks}"


def fence(text: str) -> str:
    """Return back quotes, more than appear in a row anywhere in `text`."""
    return "`" * max(3, longest_run(text) + 1)


def longest_run(text: str) -> int:
    """The longest row of back quotes."""
    return max((len(run) for run in re.findall("`+", text)), default=0)


def command_data(text: str) -> str:
    """Escape what comes after the last `::` of a GitHub workflow command."""
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
