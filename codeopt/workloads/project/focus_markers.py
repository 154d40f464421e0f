"""A project with a line of comment more in each function that is edited: what fails on that pins the text, not what it
does."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from codeopt.analysis.nodes import first_line
from codeopt.analysis.positions import find_definition
from codeopt.core.revision import Revision
from codeopt.workloads.project.edits import OUTSIDE, CodeEdit

COMMENT = "# noted\n"


def commented(original: Revision, edits: Sequence[CodeEdit]) -> Revision:
    """Return a project with the same behavior: a comment is added above each function and above its first statement."""
    found = original
    for path in dict.fromkeys(edit.file for edit in edits):
        names = [edit.qualname for edit in edits if edit.file == path and edit.qualname != OUTSIDE]
        found = found.with_file(path, _noted(original[path], names))
    return found


def _noted(text: str, names: Sequence[str]) -> str:
    body, lines = ast.parse(text).body, text.splitlines(keepends=True)
    places: set[int] = set()
    for name in names:
        node = find_definition(body, name)
        if node is not None:
            places |= {first_line(node), node.body[0].lineno}
    for number in sorted(places, reverse=True):
        line = lines[number - 1]
        lines.insert(number - 1, line[: len(line) - len(line.lstrip())] + COMMENT)
    return "".join(lines)
