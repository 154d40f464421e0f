"""The verdicts that are kept of a project as an HTML page: each function with its history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from codeopt.report.answers import FindingFields
from codeopt.report.html.drafts import patch
from codeopt.report.html.templating import page
from codeopt_sandbox.compare import Decision

COLUMNS = ("checked, UTC", "verdict", "times and interval", "source", "command", "machine", "now")


def findings_page(project: str, found: Sequence[FindingFields]) -> Iterator[str]:
    """The page in pieces. found: the newest first."""
    names = dict.fromkeys((each.path, each.function) for each in found)
    functions = [_function([each for each in found if (each.path, each.function) == name]) for name in names]
    holding = sum(each.current for each in found)
    return page(
        "findings.html",
        f"Verdicts on {project}",
        "A verdict is current while the function, the code that it calls, its tests and the Python are unchanged.",
        tiles=[
            ("functions and programs", f"{len(functions)}", ""),
            ("can be faster", f"{sum(one['gain'] for one in functions)}", "by a current verdict"),
            ("verdicts", f"{len(found)}", f"{holding} of them current"),
        ],
        columns=COLUMNS,
        functions=sorted(functions, key=lambda one: -one["gain"]),
    )


def _function(found: Sequence[FindingFields]) -> dict[str, Any]:
    newest = found[0]
    return {
        "name": f"{newest.path}::{newest.function}" if newest.function else newest.path,
        "gain": bool(newest.accepted and newest.current),
        "changes": newest.changes,
        "caveats": [each.words for each in newest.caveats],
        "diff": patch(newest.diff) if newest.diff else "",
        "rows": [_row(each) for each in found],
    }


def _row(each: FindingFields) -> tuple[str, ...]:
    figures = each.speedup if each.accepted and each.verdict is Decision.FASTER else None
    verdict = figures.gain if figures else f"better by {each.task}" if each.accepted else each.reason
    state = "current" if each.current else f"old: {each.stale_reason} changed since"
    certainty = figures.certainty if figures else ""
    when = each.verified_at[:16].replace("T", " ")
    return when, verdict, certainty, each.author, each.command, each.machine.cpu if each.machine else "", state
