"""Lines for a person about functions that were tried, and those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeopt.core.sanitize import log_line
from codeopt.core.words import Speedup, factor

if TYPE_CHECKING:
    from codeopt.review.check import CheckedTarget
    from codeopt.review.suggestion import Suggestion


def row_lines(row: CheckedTarget) -> list[str]:
    """A function with its share of the tests' time, what became of it, and the changes."""
    from codeopt.review.suggestion import full_name

    name = log_line(full_name(row.path, row.function))
    took = f"{row.seconds:>9.4f} s" if row.seconds else " " * 11
    part = f"{row.share:>4.0%} {took}" if row.share is not None else " " * 16
    own = f"; of the time {row.own_share:.0%} is its own" if row.share and row.own_share is not None else ""
    head = f"{part}  {name}: {_gain(row.suggestion) if row.suggestion else log_line(row.reason)}{own}"
    return [head, *(f"{'':18}  {log_line(change)}" for change in (row.suggestion.told if row.suggestion else ()))]


def others(rows: Sequence[CheckedTarget]) -> list[str]:
    """One line for each reason why something was not looked at; --json names all."""
    count = Counter(row.reason for row in rows if not row.judged)
    return [f"{'':18}{number} more: {reason}" for reason, number in count.items()]


def _gain(suggestion: Suggestion) -> str:
    from codeopt.review.reporters._words import UNTIMED

    figures = suggestion.speedup
    if figures is None:
        return UNTIMED
    low = f", at least {factor(figures.ci_low)} with 95% confidence" if figures.ci_low else ""
    return Speedup.from_json(dict(figures)).gain + low
