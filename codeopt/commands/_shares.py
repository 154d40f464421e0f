"""A part of a whole as people write it."""

from __future__ import annotations

import argparse


def share(text: str) -> float:
    """5% or 0.05."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    if not 0 <= value < 100:
        raise argparse.ArgumentTypeError(f"{text} is not a share such as 5% or 0.05")
    return value
