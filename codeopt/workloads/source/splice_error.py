"""The one error of putting code into a module."""

from __future__ import annotations


class SpliceError(ValueError):
    """The draft cannot replace the function; the message says why, for whoever wrote it."""
