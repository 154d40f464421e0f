"""Profile of a project's command as an HTML page: the tree of calls, targets, and hot functions' source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codeopt.analysis.nodes import first_line
from codeopt.report.html.annotated import annotated
from codeopt.report.html.markup import Markup
from codeopt.report.html.templating import page
from codeopt.workloads.project.profile import FunctionTime, LibraryTime, Node, ProjectProfile
from codeopt.workloads.project.waits_and_queries import N_PLUS_1, QueryLine, WaitLine
from codeopt.workloads.source.functions import definitions

LEAST = 0.005
"""Minimum share of what is shown."""
DEEPEST = 20
"""Maximum depth of the tree of calls."""
ROWS = 20
"""Maximum number of rows of a table."""
OPEN = 0.25
"""Share from which a branch of the tree is open at first."""


@dataclass(frozen=True)
class Branch:
    """A line of the tree of calls, and those below it."""

    text: str
    open: bool
    below: tuple[Branch, ...]


def command_page(
    command: str, profile: ProjectProfile, files: Mapping[str, bytes], python: str, notes: tuple[str, ...]
) -> Iterator[str]:
    """The page in pieces. python: a line that says which one ran it."""
    targets = [(_named(f), _percent(f.expected_gain), f.why) for f in profile.targets if f.expected_gain >= LEAST]
    functions = [
        (_named(f), _percent(f.own_share), _percent(f.total_share), f"{f.calls:,}" if f.calls is not None else "?")
        for f in profile.functions
        if f.total_share >= LEAST
    ]
    libraries = {"Libraries, by who calls them": profile.libraries, "Imports": profile.imports}
    return page(
        "command.html",
        command,
        "Times by samples of the processor's time.",
        profile=profile,
        python=python,
        notes=(*profile.notes, *notes),
        percent=_percent,
        targets=targets[:ROWS],
        tree=_branches(profile.tree, 0),
        functions=functions[:ROWS],
        queries=[_queried(row) for row in profile.queries[:ROWS]],
        waits=[_waited(row) for row in profile.waits if row.share >= LEAST][:ROWS],
        sources=_sources(profile, files),
        libraries=[
            (title, [_library(row) for row in rows if row.share >= LEAST][:ROWS]) for title, rows in libraries.items()
        ],
    )


def _percent(share: float) -> str:
    return f"{share:.1%}"


def _branches(nodes: tuple[Node, ...], depth: int) -> tuple[Branch, ...]:
    """Branches that are worth a line, largest first."""
    shown = [node for node in nodes if node.share >= LEAST and depth <= DEEPEST]
    return tuple(
        Branch(
            f"{_percent(node.share)}  {node.spot.file}::{node.spot.qualname}",
            node.share >= OPEN,
            _branches(node.below, depth + 1),
        )
        for node in shown
    )


def _sources(profile: ProjectProfile, files: Mapping[str, bytes]) -> Iterator[tuple[str, Markup]]:
    """Source of the functions whose lines were timed, the hottest first."""
    timed = {line.file for line in profile.lines}
    for function in [f for f in profile.functions if f.file in timed and f.qualname != "<module>"]:
        text = files.get(function.file, b"").decode("utf-8", "replace")
        span = _span(text, function)
        shares = {line.line: line.own_share for line in profile.lines if line.file == function.file}
        if span is None or not any(span[0] <= line <= span[1] for line in shares):
            continue
        source = "\n".join(text.split("\n")[span[0] - 1 : span[1]])
        yield _named(function), annotated(_named(function), source, shares, first=span[0])


def _span(text: str, function: FunctionTime) -> tuple[int, int] | None:
    try:
        found = [node for name, node in definitions(ast.parse(text)) if name == function.qualname]
    except (SyntaxError, ValueError):
        return None
    spans = [(first_line(node), node.end_lineno or node.lineno) for node in found]
    return next((span for span in spans if span[0] == function.line), None)


def _named(function: FunctionTime) -> str:
    return f"{function.file}::{function.qualname}"


def _queried(row: QueryLine) -> tuple[str, str, str, str]:
    said = N_PLUS_1 if row.repeats else ""
    return f"{row.file}:{row.line} in {row.qualname}", f"{row.queries:,}", f"{row.most_of_one:,}", said


def _waited(row: WaitLine) -> tuple[str, str, str]:
    where = f"{row.file}:{row.line} in {row.qualname}" if row.file else "no line of the project"
    return where, _percent(row.share), "its own threads and processes" if row.for_others else row.library


def _library(row: LibraryTime) -> tuple[str, str, str]:
    return row.library, _percent(row.share), f"{row.file}:{row.line}" if row.file else "no line of the project"
