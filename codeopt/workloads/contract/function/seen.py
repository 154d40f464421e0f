"""Types and properties that known values show, at any depth.

For example, `[1, 2]` is a list of ints above zero that is never empty. `None` among them is new, and so are a negative
number and an empty list.
"""

from __future__ import annotations

import math
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from codeopt.workloads.source.literals import Constructed, Opaque

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
            return self._of_number(value) if abs(value) < math.inf else ""  # a kind of its own: kind_of
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


MOST = 2000
"""Items of a container that are looked at one by one; of the others the extremes, and one of each type."""
DEPTH = 6
ITEMS = "items"
"""Role of the items of a list or set."""
KEYS = "keys"
"""Role of the keys of a dictionary."""
VALUES = "values"
"""Role of the values of a dictionary."""
LOADED = re.compile(r"load\('[^']*', '([^']*)'\)")
"""Maker of an object: a class by its module and name."""
_WORDS = {
    "NoneType": "None", "bool": "a bool", "int": "an int", "float": "a float", "str": "a text", "bytes": "bytes",
    "list": "a list", "tuple": "a tuple", "dict": "a dict", "set": "a set", "frozenset": "a frozenset",
    "complex": "a complex number", "range": "a range", "bytearray": "a bytearray",
}  # fmt: skip


@dataclass(frozen=True)
class Seen:
    """Values at one place of all known calls."""

    kinds: Mapping[str, Mapping[str, Seen]] = field(default_factory=dict)
    """Parts of values by type and role; parts that no value has are missing."""
    empty_text: bool = False
    doubled: bool = True
    """A separator comes twice in a row in some path, or these are no paths."""
    values: ValueRange = ValueRange()

    def missing(self, value: Any, where: str = "") -> str:
        """Describe a type in a value that no known one has. Empty if there is no such type."""
        value = bare(value)
        kind = kind_of(value)
        if isinstance(value, Opaque):
            return ""
        if kind not in self.kinds:
            return _words(kind) + where
        if isinstance(value, str | bytes):
            return self._text(value, where)
        return next(self._of_parts(value, kind, where, Seen.missing), "")

    def unlike(self, value: Any, where: str = "") -> str:
        """Property of a value that all known ones lack, in words: its sign, its size and the like; empty when there is
        none. Its types may be others."""
        value = bare(value)
        kind = kind_of(value)
        if found := self.values.missing(value):
            return found + where
        if kind not in self.kinds or isinstance(value, str | bytes):
            return ""
        return next(self._of_parts(value, kind, where, Seen.unlike), "")

    def _of_parts(self, value: Any, kind: str, where: str, look: Callable[[Seen, Any, str], str]) -> Iterator[str]:
        """Findings in the parts of a value, one after another."""
        known = self.kinds[kind]
        for role, parts in parts_of(value, known).items():
            inside = f" among the {role}" if role in (ITEMS, KEYS, VALUES) else where
            for part in parts if role in known else ():
                if found := look(known[role], part, inside):
                    yield found

    def _text(self, value: str | bytes, where: str) -> str:
        """An argument may be empty, as any container; an empty text among others is another matter."""
        if not value and where and not self.empty_text:
            return "an empty text" + where
        doubled = "//" in value if isinstance(value, str) else b"//" in value
        return f"a doubled separator{where}" if doubled and not self.doubled else ""


def seen(values: Sequence[Any], depth: int = DEPTH) -> Seen:
    """Types, sizes and parts that values show."""
    groups: dict[str, list[Any]] = {}
    for value in map(bare, looked_at(list(values))):
        if not isinstance(value, Opaque):
            groups.setdefault(kind_of(value), []).append(value)
    kinds = {kind: _parts(group, depth) for kind, group in groups.items()}
    texts = [str(value) for kind in ("str", "bytes") for value in groups.get(kind, ())]
    paths = sum("/" in text for text in texts) * 2 > len(texts)
    doubled = not paths or any("//" in text for text in texts)
    return Seen(kinds, "" in texts or "b''" in texts, doubled, range_of(groups))


def _parts(group: Sequence[Any], depth: int) -> dict[str, Seen]:
    """Values in the parts of values of one type, by role. Records of one length have a role for each place."""
    record = isinstance(group[0], tuple) and len({len(value) for value in group}) == 1
    roles: dict[str, list[Any]] = {}
    for value in group:
        for role, parts in parts_of(value, None if record else {ITEMS: Seen()}).items():
            roles.setdefault(role, []).extend(parts)
    return {role: seen(parts, depth - 1) for role, parts in roles.items() if parts} if depth else {}


def parts_of(value: Any, known: Mapping[str, Seen] | None) -> dict[str, list[Any]]:
    """Parts of a value by role. known: the roles that there are; a tuple is a record where it has no items."""
    if isinstance(value, tuple) and (known is None or (ITEMS not in known and str(len(value) - 1) in known)):
        return {str(at): [item] for at, item in enumerate(value)}
    if isinstance(value, tuple) and known is not None and ITEMS not in known:
        return {}
    if isinstance(value, list | tuple | set | frozenset):
        return {ITEMS: looked_at(list(value))}
    if isinstance(value, dict):
        return {KEYS: looked_at(list(value)), VALUES: looked_at(list(value.values()))}
    if isinstance(value, Constructed):
        return {**{str(at): [part] for at, part in enumerate(value.args)}, **{n: [part] for n, part in value.kwargs}}
    return {}


def looked_at(items: list[Any]) -> list[Any]:
    """Return the items that represent a list: the first ones, the smallest and largest number, a zero, one of each
    type."""
    rest = items[MOST:]
    if not rest:
        return items
    numbers = [item for item in rest if type(item) in (int, float) and abs(item) < math.inf]
    ends = [min(numbers), max(numbers)] if numbers else []
    kinds = {kind_of(item): item for item in rest}
    return [*items[:MOST], *ends, *([0] if 0 in numbers else []), *kinds.values()]


def bare(value: Any) -> Any:
    """An object before its methods were called."""
    while isinstance(value, Constructed) and value.maker == "used" and value.args:
        value = value.args[0]
    return value


def kind_of(value: Any) -> str:
    """A type by its name; of an object what makes it. NaN and infinity are no numbers like others."""
    if isinstance(value, Constructed):
        return value.maker
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN or infinity"
    return type(value).__name__


def _words(kind: str) -> str:
    made_by = LOADED.fullmatch(kind)
    return f"an object of class {made_by[1]}" if made_by else _WORDS.get(kind, kind)
