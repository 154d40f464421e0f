"""ruff's findings that bear on readability, by line."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeopt.core.ruff import findings, findings_by_project

RULES = ("B", "C4", "E4", "E7", "ERA", "F", "N", "PLR09", "PLR17", "RET", "SIM")
"""Likely bugs, clumsy comprehensions, crowded lines, dead code, unused names, naming, size, needless branches."""


@dataclass(frozen=True)
class LintFinding:
    """One remark about one line."""

    line: int
    code: str
    message: str


def lint(source: str, file: str = "") -> tuple[LintFinding, ...] | None:
    """Findings in the order of lines; None when ruff is not there or fails.

    file: where the text stands in a project, whose own settings count where it has some.
    """
    rows = findings_by_project(source, Path(file)) if file else None
    rows = findings(source, RULES) if rows is None else rows
    if rows is None:
        return None
    found = [LintFinding(row["location"]["row"], row["code"] or "syntax", row["message"]) for row in rows]
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.code)))
