"""What the loop asks of a judge: of programs that read standard input (measurement.py) or of functions
(functions/judge.py)."""

from __future__ import annotations

from typing import Protocol

from codeopt.history import Candidate, Draft, History
from codeopt.measurement import Suite


class Judging(Protocol):
    """Measures candidates against one original."""

    @property
    def original(self) -> Candidate:
        """Round 0, measured."""
        ...

    @property
    def suite(self) -> Suite:
        """What it is judged by."""
        ...

    def measure(self, draft: Draft, history: History, *, gated: bool = True, seed: int = 0) -> Candidate:
        """Run, compare and profile one draft."""
        ...

    def confirm(self, candidate: Candidate) -> Candidate:
        """The same candidate with new figures."""
        ...

    def growth(self, source: str) -> tuple[str, str, str]:
        """How the cost of the original and of `source` grows, and both in words; empty where it is not known."""
        ...
