"""Faster Python programs, with proof."""

__version__ = "0.1.0"
