"""A time as one bar of its parts, with their names and seconds below."""

from __future__ import annotations

from collections.abc import Sequence

from codeopt.report.html.markup import Markup, tag

COLOURS = 7
"""Number of colours that page.css has for parts."""


def time_bar(parts: Sequence[tuple[str, float]], title: str) -> Markup:
    """parts: name and seconds; the bar is their sum."""
    total = sum(seconds for _, seconds in parts) or 1.0
    drawn, left = [], 0.0
    for at, (_, seconds) in enumerate(parts):
        width = seconds / total
        drawn.append(tag("rect", class_=f"part{at % COLOURS}", x=f"{left:.3%}", width=f"{width:.3%}", height=22))
        left += width
    bar = tag("svg", tag("title", title), drawn, class_="timebar", width="100%", height=22, role="img")
    key = [
        tag("li", tag("b", f"{seconds:.2f} s"), f" {name} ({seconds / total:.0%})", class_=f"part{at % COLOURS}")
        for at, (name, seconds) in enumerate(parts)
    ]
    return tag("div", bar, tag("ul", key, class_="parts"))
