"""Calls that the module's doctests make."""

from __future__ import annotations

from codeopt.workloads.function.existing_tests import run_tests
from codeopt.workloads.function.leftout import unwritten
from codeopt.workloads.function.sources import Ask, Found


def find(ask: Ask) -> Found:
    """None when the module has no doctests."""
    if ">>>" not in ask.bench.source:
        return Found(())
    found = run_tests(ask.bench, ask.bench.source, (), record=True, job="doctest")
    calls = (("doctests", found.calls),) if found.calls else ()
    return Found(calls, dropped=unwritten(found.lost), places=found.places)
