"""Commands that need more than codeopt brings: one line says what to install."""

from __future__ import annotations

from importlib.util import find_spec

from codeopt.errors import UsageError


def require_extra(command: str, module: str) -> None:
    """Raise UsageError where the command's extra, which has the command's name, is not installed."""
    if find_spec(module) is None:
        raise UsageError(f"codeopt {command} needs the extra: pip install codeopt[{command}]")
