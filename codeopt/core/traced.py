"""Findings of one run of a project's tests about a function, for whoever judges it afterwards."""

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
    """Why calls cannot be written down -> how many."""
    tests: tuple[str, ...] = ()
    """Ids of the tests that call it and pass."""
    shortfalls: tuple[Diagnostic, ...] = ()
    """Tests that could not be run, where nobody else tells of them."""


Traces = Mapping[tuple[Path, str], TracedCalls]
"""Findings by resolved file and qualified name."""
