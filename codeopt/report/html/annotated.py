"""A source text beside the time that its lines take, as a table."""

from __future__ import annotations

from collections.abc import Mapping

from codeopt.core.history import Candidate
from codeopt.report.html.layout import scrolls
from codeopt.report.html.markup import Markup, tag
from codeopt_sandbox.profile import Profile

SOURCE_LINES = 400
"""Longer programs are shown by their beginning."""
HOT = 0.25
WARM = 0.05
"""Shares of the time from which a line is marked, as `codeopt profile` marks them."""
LEAST = 0.005
"""Smaller shares are not told."""


def shares_of(profile: Profile | None) -> dict[int, float]:
    """Shares by line; empty where they are not known."""
    return {line.line: line.share for line in profile.lines} if profile else {}


def annotated(name: str, source: str, shares: Mapping[int, float], first: int = 1) -> Markup:
    """A source text, each line with its share of the time; hot lines are marked. first: the number of the first."""
    lines = source.splitlines()
    rows = []
    for number, text in enumerate(lines[:SOURCE_LINES], first):
        share = shares.get(number, 0.0)
        mark = "hot" if share >= HOT else "warm" if share >= WARM else None
        cells = (("n", str(number)), ("s", f"{share:.0%}" if share >= LEAST else ""), ("t", tag("code", text)))
        rows.append(tag("tr", [tag("td", cell, class_=kind) for kind, cell in cells], class_=mark))
    names = [tag("th", text, scope="col") for text in ("line", "share", "source")]
    found = tag("table", tag("caption", name), tag("thead", tag("tr", names)), tag("tbody", rows), class_="code")
    more = f"{len(lines) - SOURCE_LINES} more lines are not shown" if len(lines) > SOURCE_LINES else ""
    why = "" if shares else "no profile: which lines are hot is not known"
    notes = [tag("p", text, class_="how") for text in (more, why) if text]
    return tag("div", scrolls(f"{name} with its hot lines", found), notes)


def beside(original: Candidate, result: Candidate) -> Markup:
    """Two programs with their hot lines, side by side where there is room."""
    both = (("original", original), ("result", result))
    return tag("div", [annotated(name, each.source, shares_of(each.profile)) for name, each in both], class_="pair")
