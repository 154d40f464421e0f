"""The place of the first difference in two results that are too long to be shown, with both values there."""

from __future__ import annotations

from os.path import commonprefix
from typing import Any

from codeopt_sandbox.guest.accept.values import value

AROUND = 20
"""Characters of a text that are shown before the first one that differs, and behind it."""
LONGEST = 100
"""Characters of a value that are shown."""


def first_difference(old: Any, new: Any) -> str:
    """`item 1290 of 1292: expected 2148353100, got -2146614196`, of values as portable.py writes them. Empty if they
    are equal, or None: they are more than literals."""
    return "" if old == new or old is None or new is None else _place(old, new)


def _place(old: Any, new: Any) -> str:
    if isinstance(old, str) and isinstance(new, str):
        at = len(commonprefix((old, new)))
        expected, got = (repr(text[max(0, at - AROUND) : at + AROUND]) for text in (old, new))
        return f"at character {at + 1}: expected {expected}, got {got}"
    if not (isinstance(old, list) and isinstance(new, list)) or old[0] != new[0]:
        return f"expected {_shown(old)}, got {_shown(new)}"
    kind, items, others = old[0], old[1:], new[1:]
    if kind not in ("list", "tuple", "dict"):
        return f"expected {_shown(old)}, got {_shown(new)}"
    for at, (one, other) in enumerate(zip(items, others, strict=False)):
        if one == other:
            continue
        if kind != "dict":
            return f"item {at} of {len(items)}: {_place(one, other)}"
        if one[0] == other[0]:
            return f"key {_shown(one[0])}: {_place(one[1], other[1])}"
        return f"key {at} of {len(items)}: {_place(one[0], other[0])}"
    return f"expected {len(items)} items, got {len(others)}"


def _shown(found: Any) -> str:
    text = repr(value(found))
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
