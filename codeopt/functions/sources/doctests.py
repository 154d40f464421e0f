"""Calls that the module's doctests make."""

from __future__ import annotations

from codeopt.functions.sources import Ask, Found
from codeopt.functions.tests import run_tests


def find(ask: Ask) -> Found:
    """None when the module has no doctests."""
    if ">>>" not in ask.bench.source:
        return Found(())
    found = run_tests(ask.bench, ask.bench.source, (), record=True, job="doctest")
    return Found((("doctests", found.calls),) if found.calls else (), places=found.places)
