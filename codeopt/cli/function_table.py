"""Table of functions that were tried, and a line about those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from codeopt.core.sanitize import log_line
from codeopt.core.screen import columns
from codeopt.core.words import clock

if TYPE_CHECKING:
    from codeopt.review.suggestion import FunctionRow


def function_lines(rows: Sequence[FunctionRow], ranked_by: str = "test time") -> list[str]:
    """One row for each tried function with its share of the time, and one line for each reason not to try.

    ranked_by: the source of the shares, `test time` or `profile`.
    """
    tried = [row for row in rows if row.judged]
    timed = [row.suggestion.speedup for row in tried if row.suggestion and row.suggestion.speedup]
    title = (clock(timed[0].metric), "speedup (95% CI)") if timed else ("result",)
    untried = Counter(row.reason for row in rows if not row.judged)
    shared = any(row.target.share is not None for row in tried)
    titles = ("", *[f"of {ranked_by}"] * shared, *title)
    lines = [line for row in tried for line in _row(row, shared=shared)]
    return [
        *(columns([titles, *lines], {1} if shared else ()) if tried else []),
        *(f"Not tried: {number} more ({reason})" for reason, number in untried.items()),
    ]


def _row(row: FunctionRow, *, shared: bool) -> Iterator[Sequence[str] | str]:
    share = "" if row.target.share is None else f"{row.target.share:.0%}"
    named = log_line(row.target.name), *[share] * shared
    if row.suggestion is None:
        yield *named, log_line(row.reason)
        return
    found = row.suggestion.speedup
    yield *named, *((found.change, found.with_span) if found else (log_line(row.suggestion.gain),))
    yield from map(log_line, row.suggestion.told)
