"""A profile as an HTML page: the source with its hot lines, functions, memory."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.core.words import clock, mib
from codeopt.report.html.annotated import annotated, shares_of
from codeopt.report.html.layout import card, document, table, tile
from codeopt.report.html.markup import Child, Markup, tag
from codeopt_sandbox.profile import Profile

FUNCTIONS = 20


def profile_page(target: str, profile: Profile, source: str, python: str) -> Iterator[str]:
    """The page in pieces. python: a line that says which one ran it."""
    return document(target, _body(target, profile, source, python), "Times by line_profiler; memory by Scalene.")


def _body(target: str, profile: Profile, source: str, python: str) -> Iterator[Child]:
    yield tag("h1", target)
    yield tag("p", f"profile of case {profile.case}; {python}", class_="sub")
    yield tag("div", list(_tiles(profile)), class_="tiles")
    yield from (tag("p", f"Note: {note}") for note in profile.notes)
    how = "Each line's share of the time of all lines, callees of this program left out."
    yield card("Where the time goes", how, annotated("source", source, shares_of(profile)))
    if profile.functions:
        rows = [(f.name, f"{f.line}", f"{f.share:.1%}", f"{f.hits:,}") for f in profile.functions[:FUNCTIONS]]
        yield card("Functions", "", table("Functions", ("function", "line", "share of the time", "calls"), rows))
    if profile.memory:
        lines = [(f"line {m.line}", mib(m.peak_mib), f"{m.growth_mib:+.1f} MiB") for m in profile.memory]
        yield card("Memory", "", table("Memory by line", ("line", "at the peak", "growth"), lines))


def _tiles(profile: Profile) -> Iterator[Markup]:
    if profile.python_share is not None:
        shares = (("Python", profile.python_share), ("native", profile.native_share), ("system", profile.system_share))
        yield from (tile(f"{name}, of the {clock('cpu')}", f"{share or 0.0:.0%}") for name, share in shares)
    if profile.peak_mib is not None:
        copied = f"{profile.copy_mib_s:.0f} MiB/s copied" if profile.copy_mib_s else ""
        yield tile(clock("memory"), mib(profile.peak_mib), copied)
