"""The change from one version of a project to another, as a model reads it: a function that only moved is one line."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from codeopt.analysis.nodes import first_line, last_line
from codeopt.analysis.positions import functions
from codeopt.core.revision import Revision

CONTEXT = 2
"""Lines around each change."""
MOST_REMOVED = 6
"""Lines of the original in a row that are shown as removed: it is above the diff."""
LONGEST_DIFF = 8_000
"""Characters of a diff that are shown."""


@dataclass(frozen=True)
class _Unit:
    """A line, or all lines of a function that both versions have."""

    lines: tuple[str, ...]
    first: int = field(compare=False)
    """Number of the first line, from 1."""

    def marked(self, mark: str) -> str:
        """Return it as a line of a diff."""
        return f"{mark}{self.lines[0]}{' ...' * (len(self.lines) > 1)}"


def diff(old: Revision, new: Revision) -> str:
    """Unified diff of the files that differ, with the line numbers that they have there. What is too long is cut at the
    end of a hunk."""
    out, left = list[str](), LONGEST_DIFF
    for path in new.changed_files(old):
        out += [f"--- a/{path}", f"+++ b/{path}"]
        for hunk in _hunks(old[path], new[path]):
            kept = list[str]()
            for line in hunk:
                left -= len(line) + 1
                kept += [line] if left > 0 else []
            gone = len(hunk) - len(kept)
            out += [*kept, f"[... {gone} lines left out ...]"] if gone else kept
    return "\n".join(out) or "(no file differs)"


def _hunks(old: str, new: str) -> Iterator[list[str]]:
    both = {*_function_lines(old).values()} & {*_function_lines(new).values()}
    a, b = _units(old, both), _units(new, both)
    for group in SequenceMatcher(None, a, b, autojunk=False).get_grouped_opcodes(CONTEXT):
        (_, a1, _, b1, _), (_, _, a2, _, b2) = group[0], group[-1]
        hunk = [f"@@ -{_span(a, a1, a2)} +{_span(b, b1, b2)} @@"]
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                hunk += [unit.marked(" ") for unit in a[i1:i2]]
            else:
                hunk += [*_removed(a[i1:i2]), *(unit.marked("+") for unit in b[j1:j2])]
        yield hunk


def _removed(units: Sequence[_Unit]) -> list[str]:
    """Lines of a diff for what is removed, of many the first and the last."""
    lines = [unit.marked("-") for unit in units]
    if len(lines) <= MOST_REMOVED:
        return lines
    return [lines[0], f"-[... {len(lines) - 2} lines of the original ...]", lines[-1]]


def _function_lines(text: str) -> dict[int, tuple[str, ...]]:
    """Lines of each function of several lines, by the number of the first one."""
    lines = text.splitlines()
    spans = ((first_line(node), last_line(node)) for _, node in functions(ast.parse(text).body))
    return {first: tuple(lines[first - 1 : last]) for first, last in spans if last > first}


def _units(text: str, both: set[tuple[str, ...]]) -> list[_Unit]:
    whole, lines, units, at = _function_lines(text), text.splitlines(), list[_Unit](), 1
    while at <= len(lines):
        function = whole.get(at)
        unit = _Unit(function if function in both and function else (lines[at - 1],), at)
        units.append(unit)
        at += len(unit.lines)
    return units


def _span(units: Sequence[_Unit], begin: int, end: int) -> str:
    """`12,9`: the first line, and the number of lines."""
    part = units[begin:end]
    first = part[0].first if part else (units[begin - 1].first + len(units[begin - 1].lines) - 1 if begin else 0)
    return f"{first},{sum(len(unit.lines) for unit in part)}"
