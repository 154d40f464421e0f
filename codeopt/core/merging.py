"""Several versions of one file, merged by line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence


def lines_of(text: str) -> list[str]:
    """Split a text into lines as patch does. str.splitlines would also split at form feeds."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def merged(original: str, versions: Sequence[str]) -> tuple[str, list[int]]:
    """Merge the changes of all versions. Returns the text and the versions left out, as they touch the same lines."""
    old = lines_of(original)
    taken: dict[tuple[int, int], list[str]] = {}
    left_out = []
    for number, version in enumerate(versions):
        new = lines_of(version)
        steps = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        edits = {(a, b): new[c:d] for kind, a, b, c, d in steps if kind != "equal"}
        if any(_clash(place, text, taken) for place, text in edits.items()):
            left_out.append(number)
        else:
            taken |= edits
    for (start, end), text in sorted(taken.items(), reverse=True):
        old[start:end] = text
    return "".join(old), left_out


def _clash(place: tuple[int, int], text: list[str], taken: dict[tuple[int, int], list[str]]) -> bool:
    """Return whether another change touches the same lines. An identical change does not clash."""
    start, end = place
    return any(
        not (place == other and text == was) and start <= other[1] and other[0] <= end for other, was in taken.items()
    )


def holds(original: str, version: str, part: str) -> bool:
    """Return whether a version of a text has all changes of another version."""
    text, left_out = merged(original, [version, part])
    return not left_out and text == version


def added(original: str, now: str, new: str) -> str | None:
    """Merge the change from `original` to `new` into `now`. None if they do not go together."""
    text, left_out = merged(original, [now, new])
    return None if left_out else text
