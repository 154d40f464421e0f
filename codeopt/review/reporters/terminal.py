"""A review for a person at a terminal, or reading a log."""

from __future__ import annotations

from codeopt.core.sanitize import harmless, log_line, printable
from codeopt.core.words import money
from codeopt.review.reporters import _words
from codeopt.review.reporters._reporter import reporter
from codeopt.review.suggestion import Review, Suggestion


@reporter
def render(review: Review) -> str:
    """Each suggestion with its diff, then what was left alone and why."""
    lines = [line for suggestion in review.suggestions for line in _suggestion(suggestion)]
    lines += ["nothing suggested for:"] * bool(review.skipped)
    lines += [f"  {log_line(_words.where(each))}: {log_line(each.reason)}" for each in review.skipped]
    lines += [f"note: {log_line(notice)}" for notice in review.said]
    lines.append(_words.count(len(review.suggestions)) + _cost(review.cost_usd))
    if review.suggestions:
        lines.append(f"measured on {log_line(_words.machine(review))}")
    return "\n".join(lines) + "\n"


def _cost(usd: float | None) -> str:
    """The price; empty where no model was asked."""
    if usd is None:
        return ", for a price that is not known"
    return f", {money(usd)}" if usd else ""


def _suggestion(suggestion: Suggestion) -> list[str]:
    share = f", {suggestion.share:.0%} of the time of the tests" if suggestion.share is not None else ""
    lines = [f"{log_line(_words.where(suggestion))}{share}", f"  {_words.gain(suggestion)}"]
    lines += [f"  growth: {log_line(suggestion.growth)}"] * bool(suggestion.growth)
    lines.append(f"  verified by {_words.proof(suggestion)}")
    lines += [f"  {log_line(change)}" for change in suggestion.changes]
    difference = suggestion.diff
    shown = harmless(printable(difference.replace("\r\n", "\n"))).rstrip("\n").split("\n")
    return [*lines, "", *(f"    {line}" for line in shown), ""]
