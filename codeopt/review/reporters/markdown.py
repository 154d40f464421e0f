"""Markdown: a job's summary, a comment, a file."""

from __future__ import annotations

from codeopt.core.sanitize import fenced
from codeopt.core.words import plural
from codeopt.review.reporters._finding import code, proof_of, prose, reporter
from codeopt.review.suggestion import Review, Suggestion


@reporter
def render(review: Review) -> str:
    """A section a suggestion, then what was left alone and why."""
    number = len(review.suggestions)
    parts = [f"## codeopt: {number or 'no'} {plural(number, 'suggestion')}"]
    parts += [_suggestion(suggestion) for suggestion in review.suggestions]
    parts += [f"> {prose(notice)}" for notice in review.said]
    if review.skipped:
        rows = "\n".join(f"- {code(each.target.name)}: {prose(each.reason)}" for each in review.skipped)
        parts.append(f"<details><summary>Nothing suggested for {len(review.skipped)}</summary>\n\n{rows}\n\n</details>")
    if review.suggestions:
        # a ratio from one machine is no promise for another
        found = review.machine
        where = f"{found.cpu}, {found.cores} cores, {found.python}" if found else "an unknown machine"
        parts.append(f"Measured on {prose(where)}; on another machine it will differ.")
    return "\n\n".join(parts) + "\n"


def _suggestion(suggestion: Suggestion) -> str:
    certainty = f", {suggestion.speedup.certainty}" if suggestion.speedup else ""
    facts = [f"**{suggestion.gain}**{certainty}", f"Verified by {proof_of(suggestion)}."]
    if suggestion.share is not None:
        facts.append(f"It takes {suggestion.share:.0%} of the time of the tests.")
    if found := suggestion.verdict.by_size.disagreement:
        facts.append(f"{found[0].upper()}{found[1:]}.")
    changes = "\n".join(f"- {prose(change)}" for change in suggestion.told)
    parts = [f"### {code(suggestion.name)}", "  \n".join(facts), changes, fenced(suggestion.diff, "diff")]
    return "\n\n".join(part for part in parts if part)
