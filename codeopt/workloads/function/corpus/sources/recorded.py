"""Calls that `codeopt record` recorded."""

from __future__ import annotations

from codeopt.core.errors import Diagnostic
from codeopt.workloads.function.corpus.sources import Ask, Found
from codeopt.workloads.function.recording import left_out, recorded_calls

AGAIN = "codeopt record records them again"


def find(ask: Ask) -> list[str] | Found:
    """The user's recorded calls; empty without a recording, and for one that others brought."""
    if why := left_out(ask.harness.function):
        return Found((), diagnostics=(Diagnostic("recorded calls are left out", why, AGAIN),))
    return recorded_calls(ask.harness.function)
