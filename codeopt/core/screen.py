"""Lines for a terminal: wrapped at words below their own first word, in columns, with figures and caveats in colour."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Literal

from codeopt.core.sanitize import harmless, printable

if TYPE_CHECKING:
    from rich.console import Console


ColourChoice = Literal["auto", "always", "never"]
COLUMNS = 80
"""Widest line of a text that is the same in a terminal, a pipe and a log, columns."""
LABEL = 11
"""Widest label that rows are indented by, columns."""
_LABEL = re.compile(r"(?!inconclusive)[a-z][\w-]*(?: [\w-]+)? {2,}")
"""First word of a line such as `sandbox    docker: ...`, with the space behind it."""
_STEP = re.compile(r"(?:Apply|Next): (?:cd|codeopt) ")
_STYLES: Mapping[str, str] = {
    r"^ *caveat:.*": "yellow",
    r"\bwrong result\b|\brejected\b|\bslower\b|\bmore memory\b|\bfailed?\b|\bFAIL\b|\bbroken\b": "red",
    r"\baccepted\b|\bfaster\b|\bless memory\b|\bPASS\b|\bholds\b": "green",
    r"\bno (?:measurable )?difference\b|\binconclusive\b|\bno \w+ version found\b|\binterrupted\b|\bold: .*": "yellow",
    r"\b\d[\d,]*(?:\.\d+)?x|\b\d+(?:\.\d+)?%": "bold",
}


def wrapped(line: str, width: int) -> list[str]:
    """Return the rows of a line, broken between words and indented below its label.

    The next step is one row, which the terminal breaks: pasted in two rows, a command would be two.
    """
    if len(line) <= width or _STEP.match(line):
        return [line]
    label = _LABEL.match(line)
    first = line[: len(line) - len(line.lstrip(" "))]
    indent = min(label.end(), LABEL) if label else len(first) + 2
    # narrowest terminal that lines are wrapped for, columns
    rows = textwrap.wrap(
        line[len(first) :], max(20, width), initial_indent=first, subsequent_indent=" " * indent,
        break_long_words=False, break_on_hyphens=False, replace_whitespace=False,
    )  # fmt: skip
    return rows or [line]


def open_terminal(stream: IO[str]) -> Console:
    """A terminal whose lines are printed as they are, in colour where that is wanted."""
    from rich.console import Console

    colours: Literal["auto"] | None = None if os.environ.get("NO_COLOR") else "auto"  # else bold and dim would stay
    return Console(file=stream, color_system=colours, highlight=False, markup=False, emoji=False, soft_wrap=True)


def write_lines(text: str, terminal: Console) -> None:
    """Write lines, wrapped and with verdicts, figures and caveats in colour; names in them do nothing."""
    from rich.text import Text

    for line in harmless(printable(text)).removesuffix("\n").split("\n"):
        for row in wrapped(line, terminal.width):
            shown = Text(row)
            if label := _LABEL.match(row):
                shown.stylize("dim", 0, label.end())
            for pattern, style in _STYLES.items():
                shown.highlight_regex(pattern, style)
            terminal.print(shown)


def write_diff(text: str, terminal: Console) -> None:
    """Write a diff in its colours, with control characters escaped. Its lines are never wrapped."""
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    for line in text.removesuffix("\n").split("\n"):
        style = "bold" if line.startswith(("+++", "---")) else styles.get(line[:1], "")
        terminal.print(Text(printable(line.removesuffix("\r")), style=style))


@contextmanager
def colour_choice(choice: ColourChoice | None) -> Iterator[None]:
    """Set the variables that rich and others go by, NO_COLOR and FORCE_COLOR, for one command."""
    wanted = {"always": {"NO_COLOR": "", "FORCE_COLOR": "1"}, "never": {"NO_COLOR": "1", "FORCE_COLOR": ""}}
    given = wanted.get(choice or "auto", {})
    before = {name: os.environ.get(name) for name in given}
    for name, value in given.items():
        _set(name, value or None)
    try:
        yield
    finally:
        for name, kept in before.items():
            _set(name, kept)


def _set(name: str, value: str | None) -> None:
    if value is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = value


# Format tables for people: rows of cells in columns, no line longer than a screen.

INDENT = 2
"""Spaces before a row."""
GAP = 2
"""Spaces between two cells."""
BELOW = 4
"""Spaces before a text below a row."""
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
    # columns that a name keeps if it is cut
    widths[name] = max(widths[name] - max(0, too_long), min(widths[name], 12))
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
