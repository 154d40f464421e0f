"""Properties of a text as a whole that all known inputs may share in any layout: line ends, spaces, signs, numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise

from codeopt.workloads.contract.program.tokens import integer

LOOKED_AT = 100_000
"""Bytes of an input whose blocks and tokens are looked at."""
FEW_BLOCKS = 3
"""Fewer blocks than these say nothing."""
PLACES = 4
"""Numbers of a line that may count what follows."""
Block = tuple[tuple[int, ...], tuple[bytes, ...]]
"""Numbers of a line, and the words below it, one a line."""
_MEASURES: tuple[tuple[str, Callable[[Sequence[bytes]], set[int]]], ...] = (
    ("how many words follow it", lambda words: {len(words)}),
    ("how long the words are that follow it", lambda words: set(map(len, words))),
)


def blocks(data: bytes) -> list[Block]:
    """Lines of numbers above words, each with its words."""
    found: list[Block] = []
    numbers: tuple[int, ...] = ()
    words: list[bytes] = []
    for line in [*data[:LOOKED_AT].removesuffix(b"\n").split(b"\n"), b"0"]:
        tokens = line.split()
        values = [integer(token) for token in tokens]
        if len(tokens) == 1 and values[0] is None:
            words.append(tokens[0])
            continue
        if numbers and words:
            found.append((numbers, tuple(words)))
        numbers, words = tuple(value for value in values if value is not None), []
        numbers = numbers if len(numbers) == len(values) else ()
    return found


def block_relations(inputs: Sequence[bytes]) -> list[tuple[str, Callable[[bytes], bool]]]:
    """Return the relations between numbers and the words below them that all inputs keep, without accidental ones."""
    known = [block for data in inputs for block in blocks(data)]
    if len(known) < FEW_BLOCKS:
        return []
    found: list[tuple[str, Callable[[bytes], bool]]] = []
    for place in range(min(PLACES, *(len(numbers) for numbers, _ in known))):
        for words, measure in _MEASURES:
            sizes = {tuple(measure(each)) for _, each in known}
            if len(sizes) > 1 and all(_says(block, place, measure) for block in known):
                holds = partial(_all_say, place=place, measure=measure)
                found.append((f"in all known inputs a number says {words}", holds))
    outside = {_outside(data) for data in inputs}
    if found and len(outside) == 1:
        (count,) = outside
        found.append(("in all known inputs numbers are above words", lambda data: _outside(data) == count))
    return found


def _outside(data: bytes) -> int:
    """Number of lines that belong to no block."""
    lines = data[:LOOKED_AT].removesuffix(b"\n").count(b"\n") + 1
    return lines - sum(1 + len(words) for _, words in blocks(data))


def _all_say(data: bytes, place: int, measure: Callable[[Sequence[bytes]], set[int]]) -> bool:
    return all(_says(block, place, measure) for block in blocks(data))


def _says(block: Block, place: int, measure: Callable[[Sequence[bytes]], set[int]]) -> bool:
    numbers, words = block
    return len(numbers) > place and measure(words) == {numbers[place]}


Property = tuple[str, Callable[[bytes], bool]]
"""Words about an input that breaks it, and whether it holds."""
EXACT = 2**53
"""From here on a float does not hold every whole number."""
FEW_LINES = 5
"""Fewer lines than these are distinct or sorted by chance."""
_FRACTION = re.compile(rb"(?<![\w.])[+-]?\d*\.\d+(?![\w.])")
_BELOW_ZERO = re.compile(rb"(?<!\S)-\d")


def is_exact(token: bytes) -> bool:
    """Check that a token is no integer of 2**53 or more."""
    return len(token) <= 15 or (value := integer(token)) is None or abs(value) < EXACT


def _are_exact(data: bytes) -> bool:
    return all(map(is_exact, data[:LOOKED_AT].split()))


ENDS: tuple[Property, ...] = (
    ("no known input is empty", bool),
    ("all known inputs end with a line end", lambda data: data.endswith(b"\n")),
    ("no known input ends with a line end", lambda data: not data.endswith(b"\n")),
    ("no known input has an empty line", lambda data: b"\n\n" not in data and data[:1] != b"\n"),
    ("no known input has carriage returns", lambda data: b"\r" not in data),
)
"""Properties of the ends of lines, of every text."""
FORMATS: tuple[Property, ...] = (
    *ENDS,
    ("no known input has more than one space between words", lambda data: b"  " not in data),
    ("no known input has spaces at the ends of a line", lambda data: b" \n" not in data and b"\n " not in data),
    ("no known input has tabs", lambda data: b"\t" not in data),
    ("all known inputs are ASCII", bytes.isascii),
)
"""Properties of every text that is no structured file."""

SIGNS: tuple[Property, ...] = (
    ("no known input has a number of 2**53 or more", _are_exact),
    ("no known input has a fraction", lambda data: not _FRACTION.search(data[:LOOKED_AT])),
    ("no known input has a number below zero", lambda data: not _BELOW_ZERO.search(data[:LOOKED_AT])),
    ("all known lines are one word", lambda data: all(len(line.split()) <= 1 for line in _lines(data))),
)
"""Properties that tell where no layout says which number and word is which."""

LINES: tuple[Property, ...] = (
    ("no known input has a line twice", lambda data: len(set(lines := _lines(data))) == len(lines)),
    ("the lines of all known inputs are sorted", lambda data: all(a <= b for a, b in pairwise(_lines(data)))),
)
"""Properties of lines without a count, unless they hold by chance."""


def _lines(data: bytes) -> list[bytes]:
    return data.removesuffix(b"\n").split(b"\n") if data else []


def shared(inputs: Sequence[bytes], *, lines: bool) -> list[Property]:
    """The properties that all inputs have. lines: also those of lines, words and numbers that no layout
    describes."""
    wanted = (*FORMATS, *SIGNS) if lines else FORMATS
    found = [(words, holds) for words, holds in wanted if all(map(holds, inputs))]
    return [*found, *shared_lines(inputs)] if lines else found


def shared_lines(inputs: Sequence[bytes]) -> list[Property]:
    if max((data.count(b"\n") for data in inputs), default=0) < FEW_LINES:
        return []
    return [(words, holds) for words, holds in LINES if all(map(holds, inputs))]
