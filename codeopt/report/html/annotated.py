"""A source text with the time that its lines take, as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from codeopt.core.history import Candidate
from codeopt.report.html.markup import Markup, tag
from codeopt.report.html.templating import scrolls
from codeopt_sandbox.profile import Profile

SOURCE_LINES = 400
"""Longer programs are shown by their beginning."""
HOT = 0.25
WARM = 0.05
"""Shares of the time from which a line is marked, as `codeopt profile` marks them."""
LEAST = 0.005
"""Smaller shares are not shown."""


@dataclass(frozen=True)
class LineColumn:
    """Figures for a column, by line."""

    name: str
    figures: Mapping[int, str]
    """Texts by line; none where there is nothing to tell."""


def shares_of(profile: Profile | None) -> dict[int, float]:
    """Shares by line. Empty if they are not known."""
    return {line.line: line.share for line in profile.lines} if profile else {}


def percents(shares: Mapping[int, float]) -> dict[int, str]:
    """Shares in words, without those that are too small to tell."""
    return {line: f"{share:.0%}" for line, share in shares.items() if share >= LEAST}


def annotated(
    name: str, source: str, shares: Mapping[int, float], first: int = 1, more: Sequence[LineColumn] = (), why: str = ""
) -> Markup:
    """Format a source text, each line with its share of the time. Slow lines are marked.

    first: number of the first line. more: further columns, of which empty ones are left out. why: reason why no line
    has a share.
    """
    lines, columns = source.splitlines(), [each for each in more if each.figures]
    rows = []
    for number, text in enumerate(lines[:SOURCE_LINES], first):
        share = shares.get(number, 0.0)
        mark = "hot" if share >= HOT else "warm" if share >= WARM else None
        figures = [f"{share:.0%}" if share >= LEAST else "", *(each.figures.get(number, "") for each in columns)]
        cells = [("n", str(number)), *(("s", text) for text in figures), ("t", tag("code", text))]
        heat = f"--heat:{min(100, round(share * 100))}%" if share >= LEAST else None
        rows.append(tag("tr", [tag("td", cell, class_=kind) for kind, cell in cells], class_=mark, style=heat))
    heads = ("line", "share", *(each.name for each in columns), "source")
    names = [tag("th", text, scope="col") for text in heads]
    found = tag("table", tag("caption", name), tag("thead", tag("tr", names)), tag("tbody", rows), class_="code")
    cut = f"{len(lines) - SOURCE_LINES} more lines are not shown" if len(lines) > SOURCE_LINES else ""
    why = "" if shares else why or "no profile: which lines are hot is not known"
    notes = [tag("p", text, class_="how") for text in (cut, why) if text]
    return tag("div", scrolls(f"{name} with its hot lines", found), notes)


def beside(original: Candidate, result: Candidate) -> Markup:
    """Two programs with their hot lines, side by side where there is room."""
    both = (("original", original), ("result", result))
    return tag("div", [annotated(name, each.source, shares_of(each.profile)) for name, each in both], class_="pair")
