"""Several versions of one file by line: two as a patch, and more of them merged."""

from __future__ import annotations

import difflib
import os
from collections.abc import Sequence

from codeopt.core.sanitize import printable


def lines_of(text: str) -> list[str]:
    """Split a text into lines as patch does. str.splitlines would also split at form feeds."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def unified(path: str, old: str, new: str) -> str:
    """Make a unified diff that `git apply` and `patch -p1` take. Empty: the texts are equal."""
    before, after = (
        # patch(1) would end a name at a space that no tab follows.
        f"{name}\t" if " " in name and not name.startswith('"') else name
        for name in (quoted(f"a/{path}"), quoted(f"b/{path}"))
    )
    lines = difflib.unified_diff(lines_of(old), lines_of(new), before, after)
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def patch(path: str, old: str, new: str) -> str:
    """Make the same with the line above it by which git knows a diff of several files."""
    found = unified(path, old, new)
    return f"diff --git {quoted(f'a/{path}')} {quoted(f'b/{path}')}\n{found}" if found else ""


def quoted(path: str) -> str:
    """Quote a path as git does in a diff: in C's quotes where a character of it could end the line or hide."""
    if printable(path) == path and not set(path) & set('\n\t"\\'):
        return path
    escapes = {ord('"'): '\\"', ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}
    codes = (escapes.get(byte) or (chr(byte) if 0x20 <= byte < 0x7F else f"\\{byte:03o}") for byte in os.fsencode(path))
    return f'"{"".join(codes)}"'


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
