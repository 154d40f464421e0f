"""The one error of putting code into a module."""

from __future__ import annotations


class SpliceError(ValueError):
    """Error: the draft cannot replace the function. The message explains it to the draft's author."""
