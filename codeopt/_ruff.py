"""How ruff is run: it only reads a text, and nothing of that is run."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

SECONDS = 20.0
"""A run takes about 0.03 s; a linter that hangs must not stop an improvement."""


def findings(source: str, select: tuple[str, ...], *options: str) -> list[dict[str, Any]] | None:
    """Ruff's own rows for the rules of these prefixes; None when ruff is not there or fails."""
    # -P: a ruff.py in the folder that we happen to stand in is not run
    flags = ["--isolated", "--no-cache", "--exit-zero", "--output-format", "json", "--select", ",".join(select)]
    command = [sys.executable, "-P", "-m", "ruff", "check", *flags, *options, "--stdin-filename", "program.py", "-"]
    try:
        done = subprocess.run(
            command, input=source.encode(errors="replace"), capture_output=True, timeout=SECONDS, check=True
        )
        rows: list[dict[str, Any]] = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None
    return rows
