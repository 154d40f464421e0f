"""What all known values at one place keep: sign, size, set of values, alphabet, form. Each property knows whether a
value keeps it, and most know the nearest value that does.

A set is closed, so that another value is unusual, by how often values repeat and not by their number. By Good and
Turing the chance that the next value is a new one is about the share of values that were seen once.
"""

from __future__ import annotations

import datetime
import ipaddress
import math
import re
import string
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import cycle, islice
from typing import Any

FEW = 3
"""Fewest known values, or calls, whose common property or relation says anything."""
LARGE = 2**53
"""Magnitude from which numbers are another matter: floats do not hold every whole number from there on."""
FORMED = 0.05
"""Largest chance of a new form of texts, or length, for which these are closed: nobody keeps `00:00` by habit."""
SHOWN = 12
"""Number of values that are named."""
LONGEST = 200_000
"""Number of items, or of cells or letters in them, that a sequence is lengthened to, as a number in the input asks."""
SIZED = ("list", "tuple", "dict", "set", "frozenset", "str", "bytes", "bytearray")
"""Types of values that may be empty."""
NUMBERS = ("int", "float")
OTHER_DIGITS = "digits other than 0 and 1"
BEYOND_ASCII = "characters beyond ASCII"
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
EMPTY = {"str": "an empty text", "bytes": "empty bytes", "tuple": "an empty tuple", "dict": "an empty dict"}
"""Empty values in words; of the other types `an empty list` and so on."""
_RUNS = re.compile(r"[0-9]+|[A-Za-z]+|.", re.DOTALL)
_READERS: Mapping[str, Callable[[str], object]] = {
    "date": datetime.date.fromisoformat,
    "time": datetime.time.fromisoformat,
    "date with a time": datetime.datetime.fromisoformat,
    "network address": ipaddress.ip_address,
}
"""Formats that the standard library reads."""


@dataclass(frozen=True)
class Property:
    """Something that all known values at one place keep."""

    words: str
    """What a value that breaks it has: `a number below zero`."""
    holds: Callable[[Any], bool]
    """True also of values of other types."""
    repair: Callable[[Any], Any] | None = None
    """Returns a near value that keeps it. Without one a known value takes the place."""
    says: str = ""
    """Words of the contract's line: `>= 0`, `of A, C, G, T`."""
    kinds: tuple[str, ...] = ()
    """Names of the types that it is about."""


Calls = Sequence[Sequence[Any]]
"""Values at one place, by the known call that gives them."""


@dataclass(frozen=True)
class EvidenceNeeded:
    """What it takes until something that known values share is part of a contract."""

    few: int = FEW
    """Fewest values."""
    weight: float = 5.0
    """Minus the logarithm of the chance, 0.7 %, that random values keep a pattern."""
    of_inputs: bool = False
    """True of inputs of programs: numbers beyond the known ones are unusual, as a statement bounds them, and columns of
    tables are looked at one by one."""


OF_CALLS = EvidenceNeeded()
OF_INPUTS = EvidenceNeeded(1, 1.15, True)
"""There are few inputs, and each is long. A pattern that is one by chance, at 10 %, makes a caveat of what would else
reject a program, and so errs on the side of the candidate. It is half of the logarithm of that, as patterns halve their
weight for what people write by hand."""


def closed_set(calls: Calls, chance: float = 0.01, most: int = 64) -> frozenset[Hashable] | None:
    """Return the values, if a new one is improbable. None if it is not.

    chance: largest chance of a new value for which a set of values or letters is closed: people write 1, 2, 3 and
    a, b, c by habit, and a hundred such values are rarely written by hand.

    One is added to the values seen once: also the next one may be new. A single call counts for no more than all
    others, as a long list of random numbers shows how one list was made.
    """
    counts = Counter(value for call in calls for value in call)
    total, largest = counts.total(), max(map(len, calls), default=0)
    told = min(total, 2 * (total - largest))
    once = sum(count == 1 for count in counts.values())
    return frozenset(counts) if told and len(counts) <= most and once + 1 <= chance * told else None


def properties(groups: Mapping[str, Calls], evidence: EvidenceNeeded, *, nested: bool) -> tuple[Property, ...]:
    """Properties of known values. groups: values by the names of their types; nested: they are parts of others."""
    few = evidence.few
    if evidence.of_inputs:  # a table of one input has many rows, which count as calls do
        groups = {kind: [[value] for call in calls for value in call] for kind, calls in groups.items()}
    found = [*_of_numbers([each for kind in NUMBERS for each in groups.get(kind, ())], few)]
    for kind in SIZED:
        values = [value for call in groups.get(kind, ()) for value in call]
        least = 1 if kind == "str" and nested else few
        if len(values) >= least and all(map(len, values)):
            words = EMPTY.get(kind, f"an empty {kind}")
            found.append(
                Property(
                    words, lambda v, kind=kind: type(v).__name__ != kind or bool(v),  # type: ignore[misc]
                    says="non-empty", kinds=(kind,),
                )
            )  # fmt: skip
    found += _of_texts(groups.get("str", ()), evidence)
    found += _of_records([value for call in groups.get("dict", ()) for value in call], evidence)
    for kind in ("list", "tuple") if nested else ():
        found += _of_lengths(kind, groups.get(kind, ()))
    return tuple(found)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < math.inf


def _of_numbers(calls: Calls, few: int) -> Iterator[Property]:
    given = [[value for value in call if abs(value) < math.inf] for call in calls]
    numbers = [value for call in given for value in call]
    if len(numbers) < few:
        return
    low, high = min(numbers), max(numbers)
    # Maximum number of distinct numbers of a closed set: months, hours, days. Of more, such as a hundred random
    # numbers, an edge is an edge.
    if known := closed_set(given, most=32):
        ranked = sorted(known)  # type: ignore[type-var]
        says = _listed(ranked)
        bound = f"from {says}" if " to " in says else f"of {says}"
        yield Property(
            f"a number other than {says}", lambda v: not _is_number(v) or v in known,
            lambda v: type(v)(ranked[int(v) % len(ranked)]), bound, NUMBERS,
        )  # fmt: skip
        return
    if low >= 0:
        yield Property(
            "a number below zero", lambda v: not _is_number(v) or v >= 0, lambda v: -v,
            "" if low else ">= 0", NUMBERS,
        )  # fmt: skip
    if low > 0 or high < 0:
        least = min(numbers, key=abs)
        says = "< 0" if high < 0 else "> 0" if any(type(value) is float for value in numbers) else ">= 1"
        yield Property("zero", lambda v: not _is_number(v) or v != 0, lambda v: type(v)(least), says, NUMBERS)
    if all(abs(value) < LARGE for value in numbers):
        yield Property(
            "a number of 2**53 or more", lambda v: not _is_number(v) or abs(v) < LARGE,
            lambda v: v % (int(high) + 1) if high > 0 else type(v)(low), kinds=NUMBERS,
        )  # fmt: skip


def _listed(values: Sequence[Any]) -> str:
    """`1 to 12`, `0 to 9, A, C`: values in order, four or more in a row by the first and the last."""
    codes = [ord(value) if isinstance(value, str) and len(value) == 1 else value for value in values]
    shown: list[str] = []
    at = 0
    while at < len(values):
        end = at
        while end + 1 < len(values) and all(type(code) is int for code in codes[end : end + 2]):
            plain = all(type(value) is int or value.isalnum() for value in values[end : end + 2])
            if codes[end + 1] != codes[end] + 1 or not plain:
                break
            end += 1
        row = [_shown(value) for value in values[at : end + 1]]
        # number of values in a row that are all named, of a longer row the ends
        shown += [f"{row[0]} to {row[-1]}"] if len(row) > 3 or len(row) == len(values) > 2 else row
        at = end + 1
    return ", ".join(shown[:SHOWN]) + ", ..." * (len(shown) > SHOWN)


def _shown(value: Any) -> str:
    plain = isinstance(value, str) and len(value) == 1 and value.isprintable() and value not in " ,"
    return str(value) if plain else repr(value)


def _of_texts(calls: Calls, evidence: EvidenceNeeded) -> Iterator[Property]:
    texts = [text for call in calls for text in call]
    if 2 * sum("/" in text for text in texts) > len(texts) and not any("//" in text for text in texts):
        yield Property(
            "a doubled separator", lambda v: type(v) is not str or "//" not in v, lambda v: re.sub("/+", "/", v)
        )
    if len(texts) < evidence.few or not any(texts):
        return
    if (words := closed_set(calls)) and max(map(len, texts)) > 1:
        says = _listed(sorted(words))
        yield Property(
            f"a text other than {says}", lambda v: type(v) is not str or v in words, says=f"of {says}", kinds=("str",)
        )
        return
    lengths = {len(text) for text in texts}
    if evidence.of_inputs and len(lengths) == 1 and len(texts) >= FEW:  # columns of a file are often as wide
        size = lengths.pop()
        yield Property(
            f"a text of another length than {size}", lambda v: type(v) is not str or len(v) == size,
            lambda v: resized(v, size), kinds=("str",),
        )  # fmt: skip
    if evidence.of_inputs and not any(set(text) & set("\n\r") for text in texts):
        yield Property(
            "a line end", lambda v: type(v) is not str or not set(v) & set("\n\r"),
            lambda v: re.sub("[\n\r]", "", v), kinds=("str",),
        )  # fmt: skip
    yield from _of_forms(calls, texts, evidence)
    yield from _of_letters(texts, closed_set(["".join(call) for call in calls]))


def _of_letters(texts: Sequence[str], closed: frozenset[Hashable] | None) -> Iterator[Property]:
    """Letters that are all there are, else kinds of letters that are not there."""
    known = sorted({letter for text in texts for letter in text})
    # Maximum number of distinct characters of an alphabet with white space: bases in lines, a maze. A text has more.
    if len(known) > 12 and any(map(str.isspace, known)) and any(map(str.isalpha, known)):
        closed = None  # lines of words, such as those of a ledger: another word has other letters

    def put_right(text: str, allowed: Callable[[str], bool]) -> str:
        return "".join(c if allowed(c) else known[ord(c) % len(known)] for c in text)

    if closed:
        says, kind = _listed(known), "letters" if all(map(str.isalpha, known)) else "characters"
        yield Property(
            f"{kind} other than {says}", lambda v: type(v) is not str or closed.issuperset(v),
            lambda v: put_right(v, closed.__contains__), f"of {says}", ("str",),
        )  # fmt: skip
        return
    kinds = kinds_of_letters(texts)
    # characters of texts of 0 and 1 alone from which on other digits are another matter
    told = sum(map(len, texts)) < 20 or not all(set(text) <= {"0", "1"} for text in texts)
    says = f"of {', '.join(sorted(kinds - {OTHER_DIGITS}))}" if told else "of 0 and 1"
    for name in sorted({*LETTERS, BEYOND_ASCII} - kinds - ({OTHER_DIGITS} if told else set())):
        letters = LETTERS.get(name)
        bad = letters.__contains__ if letters else lambda letter: ord(letter) > 127
        yield Property(
            name, lambda v, bad=bad: type(v) is not str or not any(map(bad, v)),  # type: ignore[misc]
            lambda v, bad=bad: put_right(v, lambda c: not bad(c)), says, ("str",),  # type: ignore[misc]
        )  # fmt: skip
        says = ""


def kinds_of_letters(texts: Sequence[str]) -> frozenset[str]:
    """Kinds of characters that occur in texts."""
    found = {character for text in texts for character in text}
    kinds = {name for name, letters in LETTERS.items() if letters & found}
    return frozenset(kinds | ({BEYOND_ASCII} if any(ord(character) > 127 for character in found) else set()))


def _of_forms(calls: Calls, texts: Sequence[str], evidence: EvidenceNeeded) -> Iterator[Property]:
    """Forms such as `00:00`, of texts with signs between numbers and words; and readers that take all of them."""
    forms = closed_set([[_form(text) for text in call] for call in calls], FORMED, 6)
    if evidence.of_inputs and len(texts) >= FEW and len(set(map(_exact, texts))) == 1:  # times of a log
        forms = frozenset(map(_form, texts))
    if not forms or not all(re.search(r"[^0A]", str(form)) and re.search("[0A]", str(form)) for form in forms):
        return
    shapes = {_exact(text) for text in texts}
    exact = len(shapes) == 1
    known, form = (shapes, _exact) if exact else (set(map(str, forms)), _form)
    example = ", ".join(sorted(known))

    def fits(value: Any) -> bool:
        return type(value) is not str or form(value) in known

    yield Property(f"a text of another form than {example}", fits, says=f"of the form {example}", kinds=("str",))
    ranges = _ranges(texts) if exact and sum(map(len, calls)) >= 2 / FORMED else []

    def within(value: Any) -> bool:
        numbers = map(int, re.findall("[0-9]+", value)) if type(value) is str and fits(value) else ()
        return all(low <= number <= high for number, (low, high) in zip(numbers, ranges, strict=False))

    if ranges:
        says = ", ".join(f"{low} to {high}" for low, high in ranges)
        yield Property(f"a text with other numbers than {says}", within)
    for name, reader in _READERS.items():
        if all(_reads(reader, text) for text in texts):
            yield Property(
                f"a text that is no {name}",
                lambda v, read=reader: type(v) is not str or not fits(v) or not within(v) or _reads(read, v),  # type: ignore[misc]
            )
            return


def _ranges(texts: Sequence[str]) -> list[tuple[int, int]]:
    """Range of each number of a form. The chance that one more text exceeds the range of N others is about 2 / N."""
    numbers = [[int(found) for found in re.findall("[0-9]+", text)] for text in texts]
    return [(min(slot), max(slot)) for slot in zip(*numbers, strict=True)]


def _form(text: str) -> str:
    """Kinds of its runs: `0:0`."""
    return "".join("0" if run[0] in string.digits else "A" if run.isascii() and run.isalpha() else run
                   for run in _RUNS.findall(text))  # fmt: skip


def _exact(text: str) -> str:
    """Kinds of its characters: `00:00`."""
    return re.sub("[A-Za-z]", "A", re.sub("[0-9]", "0", text))


def _reads(reader: Callable[[str], object], text: str) -> bool:
    with suppress(ValueError):
        reader(text)
        return True
    return False


def _of_records(dicts: Sequence[Mapping[Any, Any]], evidence: EvidenceNeeded) -> Iterator[Property]:
    """Keys that each of several dicts has: texts, as of records. Of documents also that there are no others, and their
    order."""
    if len(dicts) < evidence.few:
        return
    keys = sorted(key for key in frozenset.intersection(*map(frozenset, dicts)) if type(key) is str)
    known = list(dict.fromkeys(key for each in dicts for key in each))
    if evidence.of_inputs and len(keys) == len(known) > 0:
        yield Property(
            f"a dict with other keys than {', '.join(map(repr, known))}",
            lambda v: type(v) is not dict or v.keys() <= set(known),
            lambda v: {key: item for key, item in v.items() if key in known}, kinds=("dict",),
        )  # fmt: skip
        if len(set(map(tuple, dicts))) == 1:
            yield Property(
                "keys in another order", lambda v: type(v) is not dict or list(v) == [k for k in known if k in v],
                lambda v: {key: v[key] for key in known if key in v}, kinds=("dict",),
            )  # fmt: skip
    says = f"with {', '.join(map(repr, keys))}"
    for key in keys:
        example = dicts[0][key]
        yield Property(
            f"a dict without {key!r}", lambda v, k=key: type(v) is not dict or k in v,  # type: ignore[misc]
            lambda v, k=key, e=example: {**v, k: e}, says, ("dict",),  # type: ignore[misc]
        )  # fmt: skip
        says = ""


def _of_lengths(kind: str, calls: Calls) -> Iterator[Property]:
    """Rows of one length."""
    known = closed_set([[len(value) for value in call] for call in calls], FORMED, 1)
    size = next(iter(known)) if known else 0
    if type(size) is int and size > 1:
        yield Property(
            f"a {kind} of another length than {size}", lambda v: type(v).__name__ != kind or len(v) == size,
            lambda v: resized(v, size), kinds=(kind,),
        )  # fmt: skip


def resized(value: Any, size: int) -> Any:
    """A sequence cut, or repeated from its start, to a length; as it is where that would be more than LONGEST."""
    each = len(value[0]) if len(value) and isinstance(value[0], str | list | tuple) else 1
    if len(value) >= size or size * each > LONGEST:
        return value[:size]
    items = list(islice(cycle(value), size))
    return value[:0].join(items) if isinstance(value, str) else type(value)(items)


def resized_rows(rows: Any, size: int) -> Any:
    """A table whose rows are cut, or repeated, to a length; as it is where that would be more than LONGEST cells."""
    if len(rows) * size > LONGEST:
        return rows
    return type(rows)(resized(row, size) if len(row) else row for row in rows)
