"""A diagnostic: the thing that could not be run, looked at or made, why, and what would help."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.sanitize import inline


@dataclass(frozen=True)
class Diagnostic:
    """One thing that is missing from what a result stands on."""

    what: str
    """`8 tests found, none ran`."""
    why: str = ""
    """`ModuleNotFoundError: No module named 'numpy'`; may be others' text."""
    remedy: str = ""
    """`--python PATH`; empty where nobody can help."""

    @property
    def words(self) -> str:
        """`8 tests found, none ran: ModuleNotFoundError: No module named 'numpy' (--python PATH)`."""
        why = f": {inline(self.why)}" if self.why else ""
        return inline(self.what) + why + (f" ({self.remedy})" if self.remedy else "")
