"""Properties that all known values at one place share: sign, zero, magnitude, emptiness, letters, keys.

Daikon (Ernst et al. 2001) would call them likely invariants; with fewer than FEW values none is claimed.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

FEW = 3
"""Fewest known values, or calls, whose common property or relation says anything."""
LARGE = 2**53
"""Magnitude from which numbers are another matter: floats do not hold every whole number from there on."""
SIZED = ("list", "tuple", "dict", "set", "frozenset", "str", "bytes", "bytearray")
"""Types of values that may be empty."""
NUMBERS = ("int", "float")
OTHER_DIGITS = "digits other than 0 and 1"
LETTERS = {
    "small letters": frozenset(string.ascii_lowercase),
    "capital letters": frozenset(string.ascii_uppercase),
    "digits": frozenset(string.digits),
    "white space": frozenset(string.whitespace),
    "punctuation": frozenset(string.punctuation),
    "control characters": frozenset(map(chr, [*range(32), 127])) - frozenset(string.whitespace),
    OTHER_DIGITS: frozenset(string.digits) - frozenset("01"),
}
"""Kinds of characters of a text. All others are outside of ASCII."""
BINARY = 20
"""Characters of texts of 0 and 1 alone from which on other digits are another matter."""
BEYOND_ASCII = "characters beyond ASCII"
EMPTY = {"str": "an empty text", "bytes": "empty bytes", "tuple": "an empty tuple", "dict": "an empty dict"}
"""Empty values in words; of the other types `an empty list` and so on."""


@dataclass(frozen=True)
class ValueRange:
    """Properties of known values at one place. A field that says nothing allows every value."""

    negative: bool = True
    """Some number is below zero."""
    zero: bool = True
    """Some number is zero, or there are numbers on both of its sides."""
    large: bool = True
    """Some number is at least as large as LARGE."""
    sized: frozenset[str] = frozenset()
    """Types of which no known value is empty."""
    letters: frozenset[str] | None = None
    """Kinds of characters that texts have; None for any."""
    keys: frozenset[str] = frozenset()
    """Keys that every dict has."""

    def missing(self, value: Any) -> str:
        """Describe a property of a value that no known one has. Empty if there is no such property."""
        if type(value) in (int, float):
            return self._of_number(value)
        kind = type(value).__name__
        if kind in self.sized and not value:
            return EMPTY.get(kind, f"an empty {kind}")
        if isinstance(value, str) and self.letters is not None:
            return next(iter(sorted(kinds_of_letters([value]) - self.letters)), "")
        if isinstance(value, dict) and not self.keys <= value.keys():
            return f"a dict without {min(self.keys - value.keys())!r}"
        return ""

    def _of_number(self, value: float) -> str:
        if value < 0 and not self.negative:
            return "a number below zero"
        if value == 0 and not self.zero:
            return "zero"
        return "a number of 2**53 or more" if abs(value) >= LARGE and not self.large else ""


def range_of(groups: Mapping[str, Sequence[Any]]) -> ValueRange:
    """Properties of known values. groups: values by the names of their types."""
    numbers = [number for kind in NUMBERS for number in groups.get(kind, ()) if abs(number) < math.inf]
    texts = groups.get("str", ())
    sized = frozenset(kind for kind in SIZED if len(groups.get(kind, ())) >= FEW and all(map(len, groups[kind])))
    told = len(numbers) >= FEW
    return ValueRange(
        negative=not told or any(number < 0 for number in numbers),
        zero=not told or min(numbers) <= 0 <= max(numbers),
        large=not told or any(abs(number) >= LARGE for number in numbers),
        sized=sized,
        letters=_letters(texts) if len(texts) >= FEW and any(texts) else None,
        keys=_shared_keys(groups.get("dict", ())),
    )


def _letters(texts: Sequence[str]) -> frozenset[str]:
    """Kinds of characters that texts may have: digits of every value, unless long texts are of 0 and 1 alone."""
    binary = sum(map(len, texts)) >= BINARY and all(set(text) <= {"0", "1"} for text in texts)
    return kinds_of_letters(texts) | (frozenset() if binary else {OTHER_DIGITS})


def _shared_keys(dicts: Sequence[Mapping[Any, Any]]) -> frozenset[str]:
    """Return the keys of records: texts that each of several dicts has."""
    if len(dicts) < FEW:
        return frozenset()
    shared = frozenset.intersection(*(frozenset(each) for each in dicts))
    return frozenset(key for key in shared if type(key) is str)


def kinds_of_letters(texts: Iterable[str]) -> frozenset[str]:
    """Kinds of characters that occur in texts."""
    found = {character for text in texts for character in text}
    kinds = {name for name, letters in LETTERS.items() if letters & found}
    return frozenset(kinds | ({BEYOND_ASCII} if any(ord(character) > 127 for character in found) else set()))
