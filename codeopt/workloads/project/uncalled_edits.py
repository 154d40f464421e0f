"""Edits of functions that the command never calls: its time is the same without them, which no pairs need tell."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import Def
from codeopt.core.revision import Revision
from codeopt.workloads.function.recording.instrumented_run import Instrument
from codeopt.workloads.project.baseline_command import BaselineCommand
from codeopt.workloads.project.event_log import LEAST_S, LONGER, watched_run
from codeopt.workloads.source.edits import body_of, by_name, head_of, is_text
from codeopt_sandbox.outcome import Case

REACH = Instrument("tests.project_reach")
Place = tuple[str, int]
"""File and first line of a function."""


def called_places(given: BaselineCommand, draft: Revision, case: Case) -> frozenset[Place] | None:
    """Return the functions that a command calls with a candidate.

    None if the command ends differently under the hook.
    """
    limits = given.limits(LONGER, LEAST_S)
    watched = watched_run(given.runs, draft, REACH, limits, case)
    if watched.run.exit != given.plain.exit or watched.run.stop is not None:
        return None
    found: set[Place] = set()
    for _, places in watched.of("reach"):  # `/file:line` of each function that is called
        for place in map(str, places):
            path, _, line = place[1:].rpartition(":")
            if line.isdecimal():
                found.add((path, int(line)))
    return frozenset(found) or None


def changed_places(draft: Revision, rest: Revision) -> frozenset[Place] | None:
    """Return the functions of a candidate whose behavior differs in the rest, by their places in the candidate.

    None if code outside of functions differs, as it acts without a call.
    """
    found: set[Place] = set()
    for path in rest.changed_files(draft):
        was, now = (ast.parse(each[path]).body for each in (draft, rest))
        mine, others = by_name(was), by_name(now)
        if others.keys() - mine.keys() or list(_outside(was)) != list(_outside(now)):
            return None
        for name, nodes in mine.items():
            if name in others and list(map(head_of, nodes)) != list(map(head_of, others[name])):
                return None
            if name not in others and any(node.decorator_list for node in nodes):
                return None
            if name not in others or list(map(body_of, nodes)) != list(map(body_of, others[name])):
                found.update((path, first_line(node)) for node in nodes)
    return frozenset(found)


def _outside(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Statements that run at the import, without definitions of functions and texts that nobody reads."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from (node.name, *map(ast.dump, (*node.bases, *node.keywords, *node.decorator_list)))
            yield from _outside(node.body)
        elif not isinstance(node, Def) and not is_text(node):
            yield ast.dump(node)
