"""Unified diffs that `git apply` takes, whatever the file is called; and several versions of one file merged."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence

NO_NEWLINE = "\\ No newline at end of file\n"
"""Line of a diff behind a last line that has no end."""


def patch(path: str, old: str, new: str) -> str:
    """Make a unified diff, with the path below the root as git quotes it; empty: the texts are equal."""
    if old == new:
        return ""
    names = (quoted(f"a/{path}"), quoted(f"b/{path}"))
    lines = list(difflib.unified_diff(lines_of(old), lines_of(new), "old", "new"))[2:]
    head = [f"diff --git {names[0]} {names[1]}\n", f"--- {names[0]}{_tab(path)}\n", f"+++ {names[1]}{_tab(path)}\n"]
    return "".join([*head, *(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)])


def lines_of(text: str) -> list[str]:
    """Split a text into lines as patch does; str.splitlines would also split at form feeds."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def quoted(path: str) -> str:
    """Quote a path as git does in a diff: in C's quotes where it holds anything unusual."""
    data = os.fsencode(path)
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):
        return path
    return f'"{"".join(map(_character, data))}"'


def _character(byte: int) -> str:
    return _ESCAPES.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}")


_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def _tab(path: str) -> str:
    """Tab behind a path with a space, at which patch(1) would end the name."""
    return "\t" if " " in path and quoted(path) == path else ""


def merged(original: str, versions: Sequence[str]) -> tuple[str, list[int]]:
    """Merge the changes of all versions; returns the text and the versions left out, as they touch the same lines."""
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
    """Whether another change touches the same lines; an identical change does not clash."""
    start, end = place
    return any(
        not (place == other and text == was) and start <= other[1] and other[0] <= end for other, was in taken.items()
    )
