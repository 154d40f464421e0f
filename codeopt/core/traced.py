"""Facts about a function from one run of a project's tests, for later verification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeopt.core.diagnostic import Diagnostic


@dataclass(frozen=True)
class TracedCalls:
    """Calls of a function that tests make."""

    calls: Mapping[str, str] = field(default_factory=dict)
    """Test that made a call first, by call."""
    lost: Mapping[str, int] = field(default_factory=dict)
    """Cause why calls cannot be written down -> number of such calls."""
    tests: tuple[str, ...] = ()
    """Ids of the tests that call it and pass."""
    diagnostics: tuple[Diagnostic, ...] = ()
    """Tests that could not be run, where nobody else tells of them."""


Traces = Mapping[tuple[Path, str], TracedCalls]
"""Findings by resolved file and qualified name."""
