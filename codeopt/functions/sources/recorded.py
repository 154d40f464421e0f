"""Calls that `codeopt record` took down."""

from __future__ import annotations

from codeopt.functions.recording import recorded_calls
from codeopt.functions.sources import Ask


def find(ask: Ask) -> list[str]:
    """None without a recording."""
    return recorded_calls(ask.bench.function)
