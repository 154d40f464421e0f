"""A flame graph as SVG: readable without a script, and zoomed and searched with the page's own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeopt.report.html.templating import Markup, tag
from codeopt.report.stacks import CallNode

ROW = 18
"""Height of a row, pixels."""
MOST = 1500
"""Maximum number of functions in one graph, the widest ones."""
LABELLED = 0.012
"""Share from which a function has its name in the graph; it has a tooltip at any."""
HEAT = (0.02, 0.08, 0.2)
"""Own shares from which a function is drawn hotter."""


def flame(nodes: Sequence[CallNode], title: str, width: float = 1.0) -> Markup:
    """Draw a graph whose functions are as wide as their share, with callees below their callers.

    width: part of the page's width for the whole, so that two graphs can have one scale.
    """
    shares = sorted((each.share for node in nodes for each in node.walk()), reverse=True)
    least = shares[MOST] if len(shares) > MOST else 0.0
    rows = list(_rows(nodes, 0.0, 0, least, width))
    height = (max((depth for depth, _ in rows), default=0) + 1) * ROW
    drawn = [found for _, found in rows]
    return tag("svg", tag("title", title), drawn, class_="flame", width="100%", height=height, role="img")


def _rows(
    nodes: Sequence[CallNode], left: float, depth: int, least: float, scale: float
) -> Iterator[tuple[int, Markup]]:
    """Depth and drawing of each function that is wide enough; places are shares of the width."""
    for node in nodes:
        if node.share > least:
            yield depth, _box(node, left, depth, scale)
            yield from _rows(node.below, left, depth + 1, least, scale)
        left += node.share * scale


def _box(node: CallNode, left: float, depth: int, scale: float) -> Markup:
    frame, width = node.frame, node.share * scale
    where = f" ({frame.file}:{frame.line})" if frame.line else f" ({frame.file})" if frame.file else ""
    told = f"{frame.name}{where}: {node.share:.1%}, {node.own_share:.1%} of it its own"
    heat = sum(node.own_share >= each for each in HEAT)
    name = tag("text", frame.name, x=4, y=13) if width >= LABELLED else None
    return tag(
        "svg", tag("title", told), tag("rect", width="100%", height=ROW - 1), name,
        class_=f"heat{heat}" if frame.file else "library",
        x=f"{left:.3%}", y=depth * ROW, width=f"{width:.3%}", height=ROW - 1,
    )  # fmt: skip


def branches(nodes: Sequence[CallNode], deepest: int = 30) -> Markup:
    """Format the graph as text: a list in which each function is indented below its caller."""
    return tag("ul", [_branch(node, deepest) for node in nodes], class_="calls")


def _branch(node: CallNode, deepest: int) -> Markup:
    frame = node.frame
    where = f"{frame.file}:{frame.line}" if frame.file and frame.line else frame.file
    text = [
        tag("span", f"{node.share:.1%}", class_="share"), " ", tag("b", frame.name), " ",
        tag("span", where, class_="where") if where else None,
    ]  # fmt: skip
    if not node.below or not deepest:
        return tag("li", tag("div", text, class_="leaf"))
    return tag("li", tag("details", tag("summary", text), branches(node.below, deepest - 1), open=node.share >= OPEN))


OPEN = 0.05
"""Share from which a branch of the list is open at first."""
