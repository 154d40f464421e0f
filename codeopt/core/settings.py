"""[tool.codeopt] in the nearest pyproject.toml."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError


def read_settings(start: Path) -> tuple[dict[str, Any], Path | None]:
    """[tool.codeopt] of the nearest pyproject.toml at or above `start`, and where that was. Raises UsageError."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if path.is_file():
            try:
                data = tomllib.loads(path.read_text("utf-8"))
            except (OSError, ValueError) as error:
                raise UsageError(f"cannot read {path}: {error}") from error
            table = data.get("tool", {}).get("codeopt", {})
            return (table if isinstance(table, dict) else {}), path
    return {}, None
