"""Bounds of the numbers on an input's first line, as a problem's statement gives them: `1 <= N <= 10^5`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_TIMES = r"(?:x|\*|×|·|⋅|\\times|\\cdot)"
_NUMBER = rf"-?\d[\d,]*(?:\s*{_TIMES}\s*10)?(?:\s*(?:\^|\*\*)\s*\{{?\d{{1,3}}\}}?)?"
_LESS = r"\s*(<=?|≤|\\leq?)\s*"
_GOES_ON = r"[\w^]|[.,]\d|[ \t]*(?:[*×·⋅+/{−-]|\\[a-z,;]|\d)"
"""Text after a number that shows that it is a part of a longer one, or of an expression."""
_WORDS = r"([A-Za-z]\w*(?:\s*,\s*[A-Za-z]\w*)*)"
_BOUND = re.compile(rf"(?<![\w^|−.,])({_NUMBER}){_LESS}{_WORDS}{_LESS}({_NUMBER})(?!{_GOES_ON})")
_UPPER = re.compile(rf"(?<![\w,])(?<!, ){_WORDS}{_LESS}(?![=q])(?:({_NUMBER})(?!{_GOES_ON})|(?!\s))")
"""Names with an upper bound, which is empty if it is not a plain number."""
_POWER = re.compile(r"(-?)(?:(\d+)x)?(\d+)(?:\^(\d+))?")
_INPUT = re.compile(r"^\W*Input\b", re.MULTILINE)
_NAMES = re.compile(r"^[ \t]*([A-Za-z]\w*(?: [A-Za-z]\w*)*)[ \t]*$", re.MULTILINE)
_SHORT = 2
"""Characters of a word that is a name, though no bounds are stated for it."""


@dataclass(frozen=True)
class StatedBounds:
    """Least and largest values of the numbers on the first line, in their order. Empty where nothing is stated."""

    ranges: tuple[tuple[int, int], ...] = ()

    @property
    def words(self) -> str:
        """`generated inputs keep the statement's bounds of the first line: 1 to 100,000, 0 to 5`. Empty without any."""
        ends = ", ".join(f"{low:,} to {high:,}" for low, high in self.ranges)
        return f"generated inputs keep the statement's bounds of the first line: {ends}" if ends else ""

    def excludes(self, data: bytes) -> bool:
        """Return True if a number on the first line of an input is outside of its bounds."""
        words = data.partition(b"\n")[0].split()
        if not self.ranges or len(words) != len(self.ranges) or not all(map(_is_integer, words)):
            return False
        return any(not low <= int(word) <= high for word, (low, high) in zip(words, self.ranges, strict=True))


NOTHING_STATED = StatedBounds()


def stated_bounds(statement: str, inputs: Iterable[bytes]) -> StatedBounds:
    """Read the bounds of the first line's names, if the statement has one for each of them.

    Of several bounds of a name, as of subtasks, the widest count. A name is not used if one of its bounds cannot be
    read.

    inputs: known ones. If one of them is outside of the bounds, these were misread.
    """
    bounds: dict[str, tuple[int, int]] = {}
    for low, less, names, most, high in _BOUND.findall(statement):
        least, largest = _value(low) + (less == "<"), _value(high) - (most == "<")
        for name in re.split(r"\s*,\s*", names):
            known = bounds.get(name, (least, largest))
            bounds[name] = min(known[0], least), max(known[1], largest)
    for names, less, high in _UPPER.findall(statement):
        for name in bounds.keys() & {*re.split(r"\s*,\s*", names)}:
            low, largest = bounds.pop(name)
            if high:
                bounds[name] = low, max(largest, _value(high) - (less == "<"))
    begin = _INPUT.search(statement)
    lines = _NAMES.findall(statement, begin.end()) if begin else []
    rows = (line.split() for line in lines)
    formats = (row for row in rows if bounds.keys() >= {*row} or max(map(len, row)) <= _SHORT)
    first: list[str] = next(formats, [])
    found = StatedBounds(tuple(bounds[name] for name in first)) if bounds.keys() >= {*first} else NOTHING_STATED
    return NOTHING_STATED if any(map(found.excludes, inputs)) else found


def _is_integer(word: bytes) -> bool:
    return re.fullmatch(rb"-?\d{1,4000}", word) is not None


def _value(text: str) -> int:
    """Value of `10^5`, `2 x 10^5`, `300,000`."""
    plain = re.sub(r"[\s,{}]", "", re.sub(_TIMES, "x", text.replace("**", "^")))
    found = _POWER.fullmatch(plain)
    assert found is not None  # by the pattern of a number
    minus, times, base, exponent = found.groups()
    value: int = int(times or 1) * int(base) ** int(exponent or 1)
    return -value if minus else value
