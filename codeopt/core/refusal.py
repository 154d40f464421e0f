"""The reason why the built-in rules made no draft: what flows from the rules to the result."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Refusal:
    """One reason why rules left hot lines as they are."""

    reason: str
    lines: tuple[str, ...] = ()
    """`12`; of a project `shop/store.py:12`."""
    rules: tuple[str, ...] = ()
    """Names of the rules that found their pattern there."""
