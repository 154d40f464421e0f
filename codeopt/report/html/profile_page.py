"""A profile as an HTML page: the source with its hot lines, functions, memory."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.core.words import clock, mib
from codeopt.report.html.drafts import LEAST, LineColumn, annotated, percents, shares_of
from codeopt.report.html.templating import made, page
from codeopt_sandbox.profile import Profile

FUNCTIONS = 2000
"""Maximum number of functions in the table."""
LEAST_MIB = 0.05
"""Smallest peak of a line that is shown, MiB."""


def profile_page(target: str, profile: Profile, source: str, python: str) -> Iterator[str]:
    """The page in pieces. python: a line that says which one ran it."""
    return page(
        "profile.html",
        target,
        made(),
        profile=profile,
        python=python,
        tiles=_tiles(profile),
        source=annotated("source", source, shares_of(profile), more=_columns(profile)),
        functions=[
            (f.name, f"{f.line}", f"{f.share:.0%}", f.count) for f in profile.functions[:FUNCTIONS] if f.share >= LEAST
        ],
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
