"""Markdown: a job's summary, a comment, a file."""

from __future__ import annotations

from codeopt.review.reporters import _finding
from codeopt.review.reporters._finding import block, code, prose, reporter
from codeopt.review.suggestion import Review, Suggestion


@reporter
def render(review: Review) -> str:
    """A section a suggestion, then what was left alone and why."""
    parts = [f"## codeopt: {_finding.count(len(review.suggestions))}"]
    parts += [_suggestion(suggestion) for suggestion in review.suggestions]
    parts += [f"> {prose(notice)}" for notice in review.said]
    if review.skipped:
        rows = "\n".join(f"- {code(_finding.where(each))}: {prose(each.reason)}" for each in review.skipped)
        parts.append(f"<details><summary>Nothing suggested for {len(review.skipped)}</summary>\n\n{rows}\n\n</details>")
    if review.suggestions:
        parts.append(f"Measured on {prose(_finding.machine(review))}; on another machine it will differ.")
    return "\n\n".join(parts) + "\n"


def _suggestion(suggestion: Suggestion) -> str:
    head = f"**{suggestion.gain}**{_finding.certainty(suggestion)}"
    facts = [head, f"Verified by {_finding.proof_of(suggestion)}."]
    if suggestion.share is not None:
        facts.append(f"It takes {suggestion.share:.0%} of the time of the tests.")
    if found := suggestion.verdict.by_size.disagreement:
        facts.append(f"{found[0].upper()}{found[1:]}.")
    changes = "\n".join(f"- {prose(change)}" for change in suggestion.told)
    difference = block(suggestion.diff, "diff")
    parts = [f"### {code(_finding.where(suggestion))}", "  \n".join(facts), changes, difference]
    return "\n\n".join(part for part in parts if part)
