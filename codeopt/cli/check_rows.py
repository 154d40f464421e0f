"""Lines for a person about functions that were tried, and those that were not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from codeopt.core.sanitize import log_line
from codeopt.core.words import took

if TYPE_CHECKING:
    from codeopt.review.check import CheckedTarget


def row_lines(row: CheckedTarget) -> list[str]:
    """A function with its share of the tests' time; below it what became of it, and the changes."""
    from codeopt.review.reporters._words import gain
    from codeopt.review.suggestion import full_name

    share = f"{row.share:>5.0%}" if row.share is not None else " " * 5
    head = f"{share} {took(row.seconds) if row.seconds else '':>7}  {log_line(full_name(row.path, row.function))}"
    below = [gain(row.suggestion), *row.suggestion.told] if row.suggestion else [row.reason]
    return [head, *(f"{'':15}{log_line(each)}" for each in below)]


def others(rows: Sequence[CheckedTarget]) -> list[str]:
    """One line for each reason why something was not looked at; --json names all."""
    count = Counter(row.reason for row in rows if not row.judged)
    return [f"{number} more: {reason}" for reason, number in count.items()]
