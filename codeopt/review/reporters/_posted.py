"""What became of a review that was sent to a platform."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Posted:
    """What was done there, and what is left to say here."""

    comments: int = 0
    """New ones, beside lines of the change."""
    withdrawn: int = 0
    """Earlier ones that no longer apply."""
    output: str = ""
    """For standard output: what takes the place of comments where none can be made."""
    notices: tuple[str, ...] = ()
    """For standard error, a line each."""
    failed: str = ""
    """Why nothing was posted; empty when all is well."""
