"""The saved run that a command is about, and its outcome in words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from codeopt.core.run_index import NEWEST, StoredRun, open_run

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """The run that a command is about."""
    parser.add_argument(
        "run", nargs="?", default=NEWEST, metavar="RUN",
        help="a run's folder, name or a part of it that no other run has (default: the newest run)",
    )  # fmt: skip


def run_of(arguments: argparse.Namespace) -> StoredRun:
    """The run that the flags name. Raises UsageError."""
    return open_run(arguments.run, arguments.run_dir)


def in_short(result: Mapping[str, Any]) -> str:
    """The outcome of a run, in a word or two."""
    if not result:
        return "not ended"
    if not result.get("accepted"):
        return "not improved"
    found = result.get("speedup")
    from codeopt.core.words import factor

    return factor(found["ratio"]) if found else "accepted"


def describe(run: StoredRun) -> Iterator[str]:
    """A run as the screen showed it, line by line and not yet escaped: who, each draft, the result, what it cost."""
    from codeopt.core.diagnostic import Diagnostic
    from codeopt.core.words import clock
    from codeopt.report.result import Columns, row

    result, history = run.result, run.saved.history
    yield f"{run.listing.title}   task {result.get('task', '?')}   proposer: {result.get('model', '?')}"
    by_memory = any(c.comparison and c.comparison.clock == "memory" for c in history.candidates)
    columns = Columns(
        result.get("task", "") if any(c.standing for c in history.candidates) else "",
        compared=clock("memory") if by_memory else "time",
    )
    yield columns.header
    for candidate in history.candidates[1:]:
        yield from row(candidate, columns).split("\n")  # of two lines, each of which is plain text
    if not run.listing.ended:
        yield f"not ended: codeopt improve TARGET --resume {run.listing.path} goes on"
        return
    yield f"{'accepted' if result['accepted'] else 'not improved:'} {result['reason']}"
    yield from _figures(result)
    yield from result.get("notes", ())
    yield from (f"caveat: on {each['input']}: {each['got']}" for each in result.get("caveats", ()))
    yield from (Diagnostic(**each).words for each in result.get("shortfalls", ()))
    yield f"{result['stopped']}; {result['seconds']:.0f} s; saved in {run.listing.path}"


def _figures(result: Mapping[str, Any]) -> Iterator[str]:
    if found := result.get("speedup"):
        from codeopt.core.words import Speedup

        yield Speedup.from_json(found).words
