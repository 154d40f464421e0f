"""ruff's findings that bear on readability, by line. ruff only reads the text: nothing of it is run."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass

RULES = ("B", "C4", "E4", "E7", "ERA", "F", "N", "PLR09", "PLR17", "RET", "SIM")
"""Likely bugs, clumsy comprehensions, crowded lines, dead code, unused names, naming, size, needless branches."""

SECONDS = 20.0
"""A run takes about 0.03 s; a linter that hangs must not stop an improvement."""


@dataclass(frozen=True)
class LintFinding:
    """One remark about one line."""

    line: int
    code: str
    message: str


def lint(source: str) -> tuple[LintFinding, ...] | None:
    """Findings in the order of lines; None when ruff is not there or fails."""
    # -P: a ruff.py in the folder that we happen to stand in is not run
    options = ["--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "--select", ",".join(RULES)]
    command = [sys.executable, "-P", "-m", "ruff", "check", *options, "--stdin-filename", "program.py", "-"]
    try:
        done = subprocess.run(
            command, input=source.encode(errors="replace"), capture_output=True, timeout=SECONDS, check=True
        )
        rows = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    found = [LintFinding(row["location"]["row"], row["code"] or "syntax", row["message"]) for row in rows]
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.code)))
