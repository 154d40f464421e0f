"""Runs of ruff on a text, which is only read, and the findings that bear on readability."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from codeopt_sandbox.interpreter import own_environment

MAX_RUN_S = 20.0
"""Time limit of one run, seconds. A run takes about 0.03 s; a linter that hangs must not stop an improvement."""


def findings(source: str, select: tuple[str, ...], *options: str) -> list[dict[str, Any]] | None:
    """Ruff's own rows for the rules of these prefixes. None if ruff is not there or fails."""
    return _rows(source, "program.py", None, "--isolated", "--select", ",".join(select), *options)


def findings_by_project(source: str, file: Path) -> list[dict[str, Any]] | None:
    """Return ruff's rows by the settings of the file's project. None without settings or ruff, or if ruff fails."""
    return _rows(source, str(file), file.parent) if settings_of(file) else None


@lru_cache(maxsize=64)
def settings_of(file: Path) -> str:
    """Return the path of the settings that ruff finds for a file, or an empty text."""
    try:
        done = _ruff(["--show-settings", str(file)], b"", file.parent)
    except (OSError, subprocess.SubprocessError):
        return ""
    found = re.search(r'^Settings path: "(.+)"$', done.stdout.decode(errors="replace"), re.MULTILINE)
    return found[1] if found else ""


def _rows(source: str, name: str, folder: Path | None, *options: str) -> list[dict[str, Any]] | None:
    flags = ["--no-cache", "--exit-zero", "--output-format", "json", *options, "--stdin-filename", name, "-"]
    try:
        rows: list[dict[str, Any]] = json.loads(_ruff(flags, source.encode(errors="replace"), folder).stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return rows


def _ruff(options: list[str], stdin: bytes, folder: Path | None) -> subprocess.CompletedProcess[bytes]:
    # -P: a ruff.py in the current folder must not run
    command = [sys.executable, "-P", "-m", "ruff", "check", *options]
    return subprocess.run(
        command, input=stdin, cwd=folder, env=own_environment(), capture_output=True, timeout=MAX_RUN_S, check=True
    )


RULES = ("B", "C4", "E4", "E7", "ERA", "F", "N", "PLR09", "PLR17", "RET", "SIM")
"""Rule prefixes for readability: likely bugs, clumsy comprehensions, crowded lines, dead code, unused names, naming,
size, needless branches."""


@dataclass(frozen=True)
class LintFinding:
    """One remark about one line."""

    line: int
    code: str
    message: str


def lint(source: str, file: str = "") -> tuple[LintFinding, ...] | None:
    """Findings in the order of lines; None when ruff is not there or fails.

    file: path of the text in a project, whose own ruff settings are used where it has some.
    """
    rows = findings_by_project(source, Path(file)) if file else None
    rows = findings(source, RULES) if rows is None else rows
    if rows is None:
        return None
    found = [LintFinding(row["location"]["row"], row["code"] or "syntax", row["message"]) for row in rows]
    return tuple(sorted(found, key=lambda finding: (finding.line, finding.code)))
