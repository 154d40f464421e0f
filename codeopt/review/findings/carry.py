"""A verified change put into a file that was edited elsewhere since: the function's lines, and those outside of it."""

from __future__ import annotations

import ast
import warnings
from difflib import SequenceMatcher

from codeopt.analysis.nodes import Def, find_definition, first_line
from codeopt.core.merging import lines_of

Parts = tuple[list[str], list[str], list[str]]
"""Lines before a function, its own, and those behind it."""


def carried(original: str, improved: str, current: str, qualname: str) -> str | None:
    """The text of a file with the change from `original` to `improved`; None where it does not fit.

    qualname: the function, whose own text has to be the same in `original` and `current`; empty for a whole program.
    """
    if original == current:
        return improved
    old, new, now = (parts_of(text, qualname) for text in (original, improved, current))
    if old is None or new is None or now is None or old[1] != now[1]:
        return None
    before, behind = _merged(old[0], new[0], now[0]), _merged(old[2], new[2], now[2])
    return None if before is None or behind is None else "".join([*before, *new[1], *behind])


def parts_of(text: str, qualname: str) -> Parts | None:
    """Return the lines of a file around a function. None if it has no such function."""
    lines = lines_of(text)
    if not qualname:
        return [], lines, []
    node = definition_in(text, qualname)
    if node is None:
        return None
    first, last = first_line(node) - 1, node.end_lineno or node.lineno
    return lines[:first], lines[first:last], lines[last:]


def definition_in(text: str, qualname: str) -> Def | None:
    """Return the function of that name. None if it does not exist, or the text is not Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the code's own writing
        try:
            found = find_definition(ast.parse(text).body, qualname)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return found if isinstance(found, Def) else None


def _merged(old: list[str], new: list[str], now: list[str]) -> list[str] | None:
    """Return the lines of `now` with the edits from `old` to `new`. None if an edited line is different now."""
    if old == new:
        return now
    if old == now:
        return new
    place = _places(old, now)
    result = list(now)
    for kind, start, end, first, last in reversed(SequenceMatcher(None, old, new, autojunk=False).get_opcodes()):
        if kind == "equal":
            continue
        at = _place(place, start, end)
        if at is None:
            return None
        result[at : at + end - start] = new[first:last]
    return result


def _places(old: list[str], now: list[str]) -> dict[int, int]:
    """Index in `now` of each line of `old` that is there still."""
    blocks = SequenceMatcher(None, old, now, autojunk=False).get_matching_blocks()
    return {block.a + at: block.b + at for block in blocks for at in range(block.size)}


def _place(place: dict[int, int], start: int, end: int) -> int | None:
    """Index in `now` of the lines `start` to `end` of `old`; of an insertion, behind the line before it."""
    if start == end:
        if start - 1 in place:
            return place[start - 1] + 1
        return place.get(start)
    found = [place.get(at) for at in range(start, end)]
    first = found[0]
    return first if first is not None and found == list(range(first, first + end - start)) else None
