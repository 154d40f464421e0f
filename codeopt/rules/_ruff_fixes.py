"""Ruff's fixes as rules, one for each code that it finds in a program: a second opinion, which the tests decide on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate
from typing import Any

from codeopt.core.ruff import findings
from codeopt.rules import Context, Edit, Example, Rule

NAME = "ruff"
"""Name of all ruff fixes for --select and --ignore; a single one is `ruff:PERF401`."""
GROUPS = ("PERF", "FURB", "C4", "SIM")
"""Loops and lists that cost, older ways, comprehensions, and needless steps."""
OPTIONS = ("--target-version", "py38", "--preview")
"""Flags of ruff. No fix may need a newer Python than the program's; most fixes of PERF are still called a preview."""


@dataclass(frozen=True)
class Fix:
    """A finding that ruff can fix."""

    code: str
    message: str
    first: int
    last: int
    """Last line of the finding, 1-based."""
    changes: tuple[Edit, ...]


def is_known(name: str) -> bool:
    """Whether a rule may have this name: `ruff`, or `ruff:` and a code of the groups."""
    return name == NAME or bool(re.fullmatch(rf"{NAME}:({'|'.join(GROUPS)})\d+", name))


def ruff_rules(*sources: str) -> tuple[Rule, ...] | None:
    """A rule for each code that ruff can fix in some file, in the order of the codes; None when ruff does not run."""
    found = [_fixes(source) for source in sources]
    if None in found:
        return None
    messages = {fix.code: fix.message for each in reversed(found) for fix in reversed(each or ())}
    return tuple(_rule(code, messages[code]) for code in sorted(messages))


def _rule(code: str, message: str) -> Rule:
    return Rule(
        name=f"{NAME}:{code}",
        reason=message,
        preconditions="Ruff's own: it does not know the types, so the test cases decide.",
        example=Example("", ""),  # ruff's pages have one
        kinds=(ast.Module,),
        visit=partial(_visit, code),
        safety="unsafe",
    )


def _visit(code: str, _: ast.Module, ctx: Context) -> list[Edit]:
    """All of ruff's fixes of one code in hot lines."""
    fixes = _fixes(ctx.program.text) or ()
    return _together(fix for fix in fixes if fix.code == code and ctx.hot.touches(fix.first, fix.last))


def _together(fixes: Iterable[Fix]) -> list[Edit]:
    """The edit that makes all fixes that do not overlap; an import that several of them add is added once."""
    taken: set[Edit] = set()
    for fix in fixes:
        fresh = {change for change in fix.changes if change not in taken}
        pairs = ((new, old) for new in fresh for old in taken)
        if not any(new.start == old.start or (new.start < old.end and old.start < new.end) for new, old in pairs):
            taken |= fresh
    return sorted(taken)


@lru_cache(maxsize=256)
def _fixes(text: str) -> tuple[Fix, ...] | None:
    """Ruff's fixes for a text, in the order of lines; cached, since the search asks about the same text again and
    again."""
    rows = findings(text, GROUPS, *OPTIONS)
    if rows is None:
        return None
    starts = [0, *accumulate(len(line) for line in re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text))]
    found = [_fix(row, starts) for row in rows if row.get("fix") and row["fix"]["applicability"] != "display"]
    return tuple(sorted(found, key=lambda fix: (fix.first, fix.code)))


def _fix(row: dict[str, Any], starts: list[int]) -> Fix:
    def offset(place: dict[str, int]) -> int:
        return starts[min(place["row"], len(starts)) - 1] + place["column"] - 1

    changes = [Edit(offset(e["location"]), offset(e["end_location"]), e["content"]) for e in row["fix"]["edits"]]
    first, last = row["location"]["row"], row["end_location"]["row"]
    return Fix(str(row["code"]), str(row["message"]), first, last, tuple(changes))
