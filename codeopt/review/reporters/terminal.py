"""A review for a person at a terminal, or reading a log."""

from __future__ import annotations

from collections.abc import Iterable

from codeopt.core.next_step import same_command
from codeopt.core.sanitize import harmless, log_line, printable
from codeopt.core.screen import COLUMNS, columns, wrapped
from codeopt.core.words import counted, money, plural
from codeopt.review.reporters._finding import proof_of, reporter
from codeopt.review.suggestion import Review, Suggestion


@reporter
def render(review: Review) -> str:
    """Format the number of suggestions, each with its diff, the functions without one, the next step."""
    number, changed = len(review.suggestions), len(review.suggestions) + len(review.skipped)
    base = f" (base {review.base[:7]})" if review.base else ""
    count = f"{number or 'no'} faster {plural(number or 1, 'version')} for {counted(changed, 'changed function')}"
    count = (count if changed else "no function changed") + base + _cost(review.cost_usd)
    lines = [line for suggestion in review.suggestions for line in _suggestion(suggestion)]
    if review.skipped:
        rows = [(log_line(each.target.name), log_line(each.reason)) for each in review.skipped]
        lines += [*["No faster version"] * bool(number), *map(harmless, columns(rows))]
    lines += _wrapped(f"Note: {log_line(notice)}" for notice in review.said)
    if number and base:
        lines.append(f"Next: {same_command(review.asked, '--output-format', 'diff', '-o', 'change.diff')}")
        lines.append("      git apply change.diff")
    elif review.skipped and base and review.cost_usd == 0:  # no model was asked
        lines.append(f"Next: {same_command(review.asked, '--model', 'NAME')}")
    return "\n".join([count, *[""] * bool(number), *lines]) + "\n"


def _wrapped(lines: Iterable[str]) -> list[str]:
    return [harmless(row) for line in lines for row in wrapped(line, COLUMNS)]


def _cost(usd: float | None) -> str:
    if usd is None:
        return ", for a price that is not known"
    return f", {money(usd)}" if usd else ""


def _suggestion(suggestion: Suggestion) -> list[str]:
    share = f" ({suggestion.share:.0%} of the test time)" if suggestion.share is not None else ""
    lines = [f"{log_line(suggestion.name)}{share}", suggestion.words]
    lines.append(f"Same results on {proof_of(suggestion)}.")
    lines += [f"  {log_line(change)}" for change in suggestion.told]
    lines = _wrapped(lines)
    difference = suggestion.diff
    shown = harmless(printable(difference.replace("\r\n", "\n"))).rstrip("\n").split("\n")
    return [*lines, "", *(f"    {line}" for line in shown), ""]
