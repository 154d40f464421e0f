"""The saved run that a command is about, and its outcome in words."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from codeopt.core.run_index import NEWEST, RunListing, StoredRun, open_run
from codeopt.core.sanitize import inline
from codeopt.core.screen import columns

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """The run that a command is about."""
    told = "folder, name or part of the name of a run, or its target [default: the newest]"
    parser.add_argument("run", nargs="?", default=NEWEST, metavar="RUN", help=told)


def run_of(arguments: argparse.Namespace) -> StoredRun:
    """The run that the flags name. Raises UsageError."""
    return open_run(arguments.run, arguments.run_dir)


def in_short(result: Mapping[str, Any]) -> str:
    """The outcome of a run, in a word or two."""
    if not result or (not result.get("accepted") and result.get("stop_reason") == "interrupted"):
        return "interrupted"
    if not result.get("accepted"):
        return "inconclusive" if result.get("verdict") == "inconclusive" else "no faster version"
    try:
        return gain_of(result)
    except (KeyError, TypeError, ValueError):  # changed by hand; it must not hide the other runs
        return "unreadable"


def _outcome(run: RunListing) -> str:
    why = f": {inline(run.result['reason'])}" if run.ended and not run.result.get("accepted") else ""
    return f"{in_short(run.result)}{why}"


def gain_of(result: Mapping[str, Any]) -> str:
    """Format the gain of an accepted run: `34x faster`, `2 of 3 functions faster`."""
    from codeopt.core.words import Speedup
    from codeopt.report.verdict import NOT_CONFIRMED

    if "functions" in result:
        return str(result["reason"])
    is_faster = result.get("verdict") == "faster"
    gain = Speedup.from_json(result["speedup"]).gain if is_faster else f"better by {result.get('task', 'its task')}"
    screened = any(str(each.get("got")).startswith(NOT_CONFIRMED) for each in result.get("caveats", ()))
    return f"{gain}, {NOT_CONFIRMED}" if screened else gain


def describe(run: StoredRun) -> Iterator[str]:
    """A run as the screen showed it, line by line and not yet escaped: who, each draft, the result, what it cost."""
    if run.state is None:
        yield from _describe_several(run)
        return
    from codeopt.report.brief import below_verdict, verdict_lines
    from codeopt.report.result import open_draft, rows_of

    result, history = run.result, run.saved.history
    yield f"{run.listing.title}   {result.get('model', '')}".rstrip()
    if run.listing.ended:
        yield from verdict_lines(result)
    for candidate in history.candidates[1:]:
        yield from rows_of(candidate)
    if not run.listing.ended:
        yield from open_draft(history, run.listing.path.name)
        yield f"Next: codeopt improve --resume {run.listing.path}"
        return
    yield from below_verdict({**result, "run": run.listing.path}, verbose=True)


def _describe_several(run: StoredRun) -> Iterator[str]:
    """A run of several functions: a line for each that was begun, and for each reason why others were not."""
    from codeopt.core.errors import Diagnostic

    result = run.result
    yield run.listing.title
    yield from columns([(function.name, _outcome(function)) for function in run.functions])
    if not run.listing.ended:
        yield f"Next: codeopt improve --resume {run.listing.path}"
        return
    yield from (Diagnostic(**each).words for each in result.get("diagnostics", ()))
    if stopped := result.get("stop_reason"):
        yield from (f"Stopped: {stopped}.", f"Next: codeopt improve --resume {run.listing.path}")
    yield f"{result['reason']}; {result['seconds']:.0f} s; saved in {run.listing.path}"
