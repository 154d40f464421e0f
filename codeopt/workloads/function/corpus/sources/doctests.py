"""Calls that the module's doctests make."""

from __future__ import annotations

from codeopt.core.errors import Diagnostic
from codeopt.workloads.function.corpus.existing_tests import run_tests
from codeopt.workloads.function.corpus.observe import unwritten
from codeopt.workloads.function.corpus.sources import Ask, Found


def find(ask: Ask) -> Found:
    """Return the calls of the module's doctests, if there are any."""
    if ">>>" not in ask.harness.source:
        return Found(())
    found = run_tests(ask.harness, ask.harness.source, (), record=True, job="doctest")
    calls = (("doctests", tuple(found.calls)),) if found.calls else ()
    diagnostics = (Diagnostic("the doctests did not run", found.error),) if found.error else ()
    return Found(calls, diagnostics=diagnostics, dropped=unwritten(found.lost), places=found.calls)
