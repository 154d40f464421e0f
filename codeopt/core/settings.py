"""Files of settings: [tool.codeopt] in the nearest pyproject.toml, and the user's own config.toml."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own, top_of
from codeopt_sandbox.plain_files import read_text

MAX_BYTES = 4 << 20
"""Most bytes of a file of settings."""


def read_settings(start: Path) -> tuple[dict[str, Any], Path | None]:
    """[tool.codeopt] of the nearest pyproject.toml at or above `start`, and where that was. Raises UsageError."""
    for folder in (start, *start.parents):
        path = folder / "pyproject.toml"
        if os.path.lexists(path):
            table = _loaded(path).get("tool", {}).get("codeopt", {})
            return (table if isinstance(table, dict) else {}), path
    return {}, None


def user_file() -> Path | None:
    """Return the path of the user's own settings, None for a user without a home. Their keys are at the top level."""
    named = Path(os.environ.get("XDG_CONFIG_HOME") or "")
    home = os.path.expanduser("~")  # noqa: PTH111 - Path.home() raises where there is none
    folder = named if named.is_absolute() else Path(home, ".config")
    return folder / "codeopt" / "config.toml" if folder.is_absolute() else None


def read_user_settings() -> tuple[dict[str, Any], Path | None]:
    """The user's own settings, and where they are. Raises UsageError; also for a file that came with the project, whose
    folder is the user's home."""
    path = user_file()
    if path is None or not os.path.lexists(path):
        return {}, None
    if path.resolve().is_relative_to(top_of(Path.cwd())):
        require_own(path, f"the file {path}")
    return _loaded(path), path


def _loaded(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(read_text(path, limit=MAX_BYTES))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"cannot read {path}: {error}") from error
