"""The last lines of an improvement on a terminal: what speaks against it, the verdict, the figure, the next step."""

from __future__ import annotations

from codeopt.core.sanitize import inline
from codeopt.core.words import Speedup, counted
from codeopt.report.patch_table import has_edits, table_of
from codeopt.report.result import End, Result, spent

MAX_CAVEATS = 2
"""Caveats shown at most; -v shows more, --json all."""


def brief_summary(result: Result, *, written: bool) -> list[str]:
    """The lines. written: the result is in place."""
    return [*_against(result), *_saved(result), *_verdict(result), *_rules(result), *_next(result, written)]


def _against(result: Result) -> list[str]:
    """Caveats and what could not be run, the first ones with the number of the others."""
    best = result.best
    caveats = [f"caveat: {inline(each.words, 240)}" for each in best.caveats] if best else []
    more = len(caveats) - MAX_CAVEATS
    lines = caveats[:MAX_CAVEATS] + [f"{counted(more, 'more caveat')}: -v shows them"] * (more > 0)
    notes = [inline(note, 240) for note in best.notes] if best else []
    return [*lines, *notes, *(inline(each.words, 240) for each in result.shortfalls)]


def _saved(result: Result) -> list[str]:
    return [f"spent      {spent(result)}; saved in {result.saved}"]


def _verdict(result: Result) -> list[str]:
    if result.best is None:
        return [f"verdict    not improved: {inline(result.reason, 300)}"]
    lines = [f"verdict    accepted {inline(result.reason, 200)}"]
    if result.best.standing:
        lines.append(f"score      {result.best.standing.words}")
    if result.best.comparison:
        lines.append(f"speedup    {Speedup.of(result.best.comparison).words}")
    lines += table_of(result.facts) if has_edits(result.facts) else []
    if result.inputs == 1:
        lines.append("caveat: checked on 1 input: on others it was not tried (--cases DIR gives more)")
    return lines


def _rules(result: Result) -> list[str]:
    """Why the built-in rules had no draft, or no other one; none where one was accepted."""
    told = " ".join(line.strip() for line in result.outlook.no_rule(len(result.history.candidates) - 1))
    return [f"rules      {told}"] * bool(told)


def _next(result: Result, written: bool) -> list[str]:
    """The next step: go on with what was ended, put the result in place, or look further."""
    if result.end is not End.SUFFICIENT and result.best is None:
        more = " and a higher limit" * (result.end is End.BUDGET)
        return [f"next       {result.stopped}; the same command with --resume {result.saved}{more} goes on"]
    place = "codeopt apply puts it in place; " if result.best and not written else ""
    found = result.outlook.words or "codeopt show tells each draft"
    return [f"next       {place}{found}"]
