"""Format tables for people: rows of cells in columns, no line longer than a screen."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Sequence

from codeopt.core.screen import COLUMNS

INDENT = 2
"""Spaces before a row."""
GAP = 2
"""Spaces between two cells."""
BELOW = 4
"""Spaces before a text below a row."""
_MIN_NAME = 12
"""Columns that a name keeps if it is cut."""
_LAST = 30
"""Columns that the last cell gets; it is continued in the next line if it is longer."""


def columns(rows: Sequence[Sequence[str] | str], right: Collection[int] = (), name: int = 0) -> list[str]:
    """Format rows with aligned cells.

    A row with fewer cells than others ends with a text that also takes the columns of the missing cells, over several
    lines if necessary. A string is a text below the row before it.

    Args:
        rows: The rows. The first may hold the titles.
        right: Columns that are aligned on the right.
        name: Column whose long cells are cut on the left, so that the others fit into a line.
    """
    cells = [row for row in rows if not isinstance(row, str)]
    if not cells:
        return []
    count = max(map(len, cells))
    lengths = [[len(row[at]) for row in cells if at < len(row) - (len(row) < count)] for at in range(count)]
    widths = [max(length, default=0) for length in lengths]
    too_long = INDENT + sum(widths[:-1]) + min(_LAST, widths[-1]) + GAP * (count - 1) - COLUMNS
    widths[name] = max(widths[name] - max(0, too_long), min(widths[name], _MIN_NAME))
    lines = []
    for row in rows:
        if isinstance(row, str):
            lines += _filled(row, " " * BELOW)
            continue
        *before, last = (_cut(cell, widths[at]) if at == name else cell for at, cell in enumerate(row))
        if len(row) == count and count - 1 in right:
            last = last.rjust(widths[-1])
        aligned = [cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(before)]
        lines += _filled(last, " " * INDENT + "".join(f"{cell}{'':{GAP}}" for cell in aligned))
    return lines


def _filled(text: str, before: str) -> list[str]:
    indent = " " * len(before)
    lines = textwrap.wrap(
        text, COLUMNS, initial_indent=before, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return lines or [before.rstrip()]


def _cut(name: str, width: int) -> str:
    return name if len(name) <= width else f"...{name[3 - width :]}"
