"""Profile of a project's command as an HTML page: the tree of calls, targets, and hot functions' source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from codeopt.analysis.nodes import first_line
from codeopt.report.html.annotated import annotated
from codeopt.report.html.layout import card, document, folded, table, tile
from codeopt.report.html.markup import Child, Markup, tag
from codeopt.workloads.project.profile import FunctionTime, LibraryTime, Node, ProjectProfile
from codeopt.workloads.source.functions import definitions

LEAST = 0.005
"""Minimum share of what is shown."""
DEEPEST = 20
"""Maximum depth of the tree of calls."""
ROWS = 20
"""Maximum number of rows of a table."""
OPEN = 0.25
"""Share from which a branch of the tree is open at first."""


def command_page(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], python: str, notes: tuple[str, ...]
) -> Iterator[str]:
    """The page in pieces. python: a line that says which one ran it."""
    return document(command, _body(command, profile, files, python, notes), "Times by samples of the processor's time.")


def _body(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], python: str, notes: tuple[str, ...]
) -> Iterator[Child]:
    yield tag("h1", command)
    yield tag("p", python, class_="sub")
    tiles = (
        ("by the clock", f"{profile.seconds:.2f} s"),
        ("at work", f"{profile.cpu_s:.2f} s"),
        ("start of the interpreter", f"{profile.start_share:.1%}"),
        ("waiting", f"{profile.waiting_share:.1%}"),
    )
    yield tag("div", [tile(*each) for each in tiles], class_="tiles")
    yield from (tag("p", f"Note: {note}") for note in (*profile.notes, *notes))
    targets = [(_named(f), f"{f.expected_gain:.1%}", f.why) for f in profile.targets if f.expected_gain >= LEAST]
    yield card("Where most could be gained", "", table("Targets", ("function", "at most", "why"), targets[:ROWS]))
    yield card("Calls", "Shares of the command, with all below them.", *_branches(profile.tree, 0))
    functions = [
        (_named(f), f"{f.own_share:.1%}", f"{f.total_share:.1%}", f"{f.calls:,}" if f.calls is not None else "?")
        for f in profile.functions
        if f.total_share >= LEAST
    ]
    names = ("function", "own", "total", "calls")
    yield card("Functions", "", table("Functions by their own time", names, functions[:ROWS]))
    yield from _sources(profile, files)
    for title, rows in (("Libraries, by who calls them", profile.libraries), ("Imports", profile.imports)):
        if shown := [row for row in rows if row.share >= LEAST][:ROWS]:
            yield card(title, "", table(title, ("library", "share", "called at"), [_library(row) for row in shown]))


def _branches(nodes: tuple[Node, ...], depth: int) -> Iterator[Markup]:
    for node in nodes:
        if node.share < LEAST or depth > DEEPEST:
            return
        text = f"{node.share:.1%}  {node.spot.file}::{node.spot.qualname}"
        below = list(_branches(node.below, depth + 1))
        yield folded(text, *below, open=node.share >= OPEN) if below else tag("p", text, class_="how")


def _sources(profile: ProjectProfile, files: Mapping[str, bytes]) -> Iterator[Markup]:
    """Source of the functions whose lines were timed, the hottest first."""
    timed = {line.file for line in profile.lines}
    for function in [f for f in profile.functions if f.file in timed and f.qualname != "<module>"]:
        text = files.get(function.file, b"").decode("utf-8", "replace")
        span = _span(text, function)
        shares = {line.line: line.own_share for line in profile.lines if line.file == function.file}
        if span is None or not any(span[0] <= line <= span[1] for line in shares):
            continue
        source = "\n".join(text.split("\n")[span[0] - 1 : span[1]])
        how = "Each line's part of the function's own share of the command."
        yield card(_named(function), how, annotated(_named(function), source, shares, first=span[0]))


def _span(text: str, function: FunctionTime) -> tuple[int, int] | None:
    try:
        found = [node for name, node in definitions(ast.parse(text)) if name == function.qualname]
    except (SyntaxError, ValueError):
        return None
    spans = [(first_line(node), node.end_lineno or node.lineno) for node in found]
    return next((span for span in spans if span[0] == function.line), None)


def _named(function: FunctionTime) -> str:
    return f"{function.file}::{function.qualname}"


def _library(row: LibraryTime) -> tuple[str, str, str]:
    return row.library, f"{row.share:.1%}", f"{row.file}:{row.line}" if row.file else "no line of the project"
