"""A diagnostic: the thing that could not be run, looked at or made, why, and what would help."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.sanitize import inline


@dataclass(frozen=True)
class Diagnostic:
    """Diagnostic: one thing that the evidence of a result lacks."""

    what: str
    """`8 tests found, none ran`."""
    why: str = ""
    """`ModuleNotFoundError: No module named 'numpy'`. May be others' text."""
    remedy: str = ""
    """`--python PATH`. Empty without a remedy."""

    @property
    def words(self) -> str:
        """`8 tests found, none ran: ModuleNotFoundError: No module named 'numpy' (--python PATH)`."""
        why = f": {inline(self.why)}" if self.why else ""
        return inline(self.what) + why + (f" ({self.remedy})" if self.remedy else "")
