"""The outcome of sending a review to a platform."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Posted:
    """The comments made there, and what is left to say here."""

    comments: int = 0
    """New ones, beside lines of the change."""
    withdrawn: int = 0
    """Earlier ones that no longer apply."""
    output: str = ""
    """Text for standard output: what takes the place of comments where none can be made."""
    notices: tuple[str, ...] = ()
    """Lines for standard error."""
    failed: str = ""
    """The reason why nothing was posted; empty when all is well."""
