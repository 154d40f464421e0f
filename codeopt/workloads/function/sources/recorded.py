"""Calls that `codeopt record` took down."""

from __future__ import annotations

from codeopt.workloads.function.recording import recorded_calls
from codeopt.workloads.function.sources import Ask


def find(ask: Ask) -> list[str]:
    """None without a recording."""
    return recorded_calls(ask.bench.function)
