"""Unified diffs that `git apply` takes, for any file name."""

from __future__ import annotations

import difflib
import os

from codeopt.core.merging import lines_of

NO_NEWLINE = "\\ No newline at end of file\n"
"""Line of a diff behind a last line that has no end."""


def patch(path: str, old: str, new: str) -> str:
    """Make a unified diff, with the path below the root as git quotes it. Empty: the texts are equal."""
    if old == new:
        return ""
    names = (quoted(f"a/{path}"), quoted(f"b/{path}"))
    lines = list(difflib.unified_diff(lines_of(old), lines_of(new), "old", "new"))[2:]
    head = [f"diff --git {names[0]} {names[1]}\n", f"--- {names[0]}{_tab(path)}\n", f"+++ {names[1]}{_tab(path)}\n"]
    return "".join([*head, *(line if line.endswith("\n") else f"{line}\n{NO_NEWLINE}" for line in lines)])


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
