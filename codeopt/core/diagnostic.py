"""A diagnostic: the thing that could not be run, looked at or made, why, and what would help."""

from __future__ import annotations

from dataclasses import dataclass

from codeopt.core.sanitize import inline


@dataclass(frozen=True)
class Diagnostic:
    """Diagnostic: one thing that the evidence of a result lacks."""

    message: str
    """`8 tests found, none ran`."""
    cause: str = ""
    """`ModuleNotFoundError: No module named 'numpy'`. May be others' text."""
    hint: str = ""
    """`--python PATH`. Empty without one."""

    @property
    def words(self) -> str:
        """`8 tests found, none ran: ModuleNotFoundError: No module named 'numpy' (--python PATH)`."""
        cause = f": {inline(self.cause)}" if self.cause else ""
        return inline(self.message) + cause + (f" ({self.hint})" if self.hint else "")
