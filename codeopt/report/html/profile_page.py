"""A profile as an HTML page: the source with its hot lines, functions, memory; stacks as a flame graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from codeopt.core.words import clock, mib
from codeopt.report.html.drafts import LEAST, LineColumn, annotated, percents, shares_of
from codeopt.report.html.templating import Markup, made, page, tag
from codeopt.report.stacks import CallNode
from codeopt_sandbox.profile import Profile

FUNCTIONS = 2000
"""Maximum number of functions in the table."""
LEAST_MIB = 0.05
"""Smallest peak of a line that is shown, MiB."""


def profile_page(target: str, profile: Profile, source: str, python: str) -> Iterator[str]:
    """The page in pieces. python: a line that says which one ran it."""
    slow = [each for each in profile.functions[:FUNCTIONS] if each.share >= LEAST]
    return page(
        "profile.html",
        target,
        made(),
        profile=profile,
        python=python,
        tiles=_tiles(profile),
        source=annotated("source", source, shares_of(profile), more=_columns(profile)),
        functions=[(f.name, f"{f.line}", f"{f.share:.0%}", f.count) for f in slow],
        memory=[(f"line {m.line}", mib(m.peak_mib), f"{m.growth_mib:+.1f} MiB") for m in profile.memory],
    )


def _columns(profile: Profile) -> tuple[LineColumn, ...]:
    """Return the columns with Scalene's figures: the part of a line's time in native code, and memory.

    Scalene's shares of the whole differ from line_profiler's, so only their ratio is shown.
    """
    shown = percents(shares_of(profile))  # Scalene's ratio of a line that took no time is noise
    both = {each.line: (each.native_share, each.python_share + each.native_share)
            for each in profile.split if each.line in shown}  # fmt: skip
    return (
        LineColumn("of it native", percents({line: part / whole for line, (part, whole) in both.items() if whole})),
        LineColumn("memory", {each.line: mib(each.peak_mib) for each in profile.memory if each.peak_mib >= LEAST_MIB}),
    )


def _tiles(profile: Profile) -> Iterator[tuple[str, ...]]:
    if profile.python_share is not None:
        shares = (("Python", profile.python_share), ("native", profile.native_share), ("system", profile.system_share))
        yield from ((f"{name}, of the {clock('cpu')}", f"{share or 0.0:.0%}") for name, share in shares)
    if profile.peak_mib is not None:
        copied = f"{profile.copy_mib_s:.0f} MiB/s copied" if profile.copy_mib_s else ""
        yield "memory, peak above the start", mib(profile.peak_mib), copied


ROW = 18
"""Height of a row, pixels."""
MOST = 1500
"""Maximum number of functions in one graph, the widest ones."""
LABELLED = 0.012
"""Share from which a function has its name in the graph; it has a tooltip at any."""


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
    # own shares from which a function is drawn hotter
    heat = sum(node.own_share >= each for each in (0.02, 0.08, 0.2))
    name = tag("text", frame.name, x=4, y=13) if width >= LABELLED else None
    return tag(
        "svg", tag("title", told), tag("rect", width="100%", height=ROW - 1), name,
        class_=f"heat{heat}" if frame.file else "library",
        x=f"{left:.3%}", y=depth * ROW, width=f"{width:.3%}", height=ROW - 1,
    )  # fmt: skip


def branches(nodes: Sequence[CallNode], deepest: int = 30) -> Markup:
    """Format the graph as text: a list in which each function is indented below its caller."""
    rows = []
    for node in nodes:
        frame = node.frame
        where = f"{frame.file}:{frame.line}" if frame.file and frame.line else frame.file
        share, place = f"{node.share:.1%}", tag("span", where, class_="where") if where else None
        text = [tag("span", share, class_="share"), " ", tag("b", frame.name), " ", place]
        if node.below and deepest:
            inner = branches(node.below, deepest - 1)
            rows.append(tag("li", tag("details", tag("summary", text), inner, open=node.share >= OPEN)))
        else:
            rows.append(tag("li", tag("div", text, class_="leaf")))
    return tag("ul", rows, class_="calls")


OPEN = 0.05
"""Share from which a branch of the list is open at first."""
