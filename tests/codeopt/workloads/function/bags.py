"""The body of a function that removes entries whose key came before from a bag: slow, fast, and fast but wrong."""

from __future__ import annotations

SLOW = """\
kept = []
removed = 0
for entry in bag.entries:
    if any(other.key == entry.key for other in kept):
        removed += 1
    else:
        kept.append(entry)
bag.entries = kept
if removed:
    bag.version += 1
return removed
"""
FAST = """\
kept = {}
for entry in bag.entries:
    kept.setdefault(entry.key, entry)
removed = len(bag.entries) - len(kept)
bag.entries = list(kept.values())
if removed:
    bag.version += 1
return removed
"""
WRONG = FAST.replace("version += 1", "version += removed")


def indented(body: str, levels: int, owner: str = "bag") -> str:
    """A body within so many blocks; `owner` is the name of the bag."""
    return "".join("    " * levels + line for line in body.replace("bag.", f"{owner}.").splitlines(keepends=True))
