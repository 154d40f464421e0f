"""An input as tokens: which may change, which count what follows, and what the known inputs hold."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

PIECES = re.compile(rb"(\s+)")
_INTEGER = re.compile(rb"[+-]?\d{1,40}")
CANONICAL = re.compile(rb"0|-?[1-9]\d{0,39}")
"""A whole number as `%d` writes it."""
DIGITS = re.compile(rb"\d{1,18}")
NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")


@dataclass(frozen=True)
class Text:
    """An input as tokens and the text between them. `free` are the tokens that may change."""

    pieces: tuple[bytes, ...]
    free: tuple[int, ...]
    head: tuple[int, ...]
    """Numbers of the first line that count nothing that one can see: a modulus, a width, a limit."""

    def with_tokens(self, changes: dict[int, bytes]) -> bytes:
        return b"".join(changes.get(at, piece) for at, piece in enumerate(self.pieces))


@dataclass(frozen=True)
class Range:
    """Range of tokens in the known inputs."""

    integers: tuple[int, ...]
    words: tuple[bytes, ...]
    largest: int
    """Largest of all integers, also of inputs that are not changed."""
    lines: int
    tokens: int
    letters: int
    """Letters of the longest token. `lines` and `tokens` are those of the longest input."""


def read_text(data: bytes) -> Text:
    pieces = tuple(PIECES.split(data))
    tokens = [at for at, piece in enumerate(pieces) if at % 2 == 0 and piece]
    counts, head = _counts(pieces, tokens)
    return Text(pieces, tuple(at for at in tokens if at not in counts), tuple(head))


def _counts(pieces: Sequence[bytes], tokens: Sequence[int]) -> tuple[set[int], list[int]]:
    """Return tokens that count the following tokens or lines, and the other numbers of the first line."""
    lines = _lines(pieces, tokens)
    found, head = set(), []
    for number, line in enumerate(lines[:50]):
        after = {len(lines) - number - 1, len(line) - 1}
        after |= {len(lines[number + 1])} if number + 1 < len(lines) else set()
        after |= {sum(map(len, lines[number + 1 :]))}
        for at in line[:3]:
            value = integer(pieces[at])
            if value is not None and (value in after - {0} or (number == 0 and len(lines) > 1)):
                found.add(at)
            if value is not None and number == 0 and len(lines) > 1 and not _nearly_counts(value, after, lines, pieces):
                head.append(at)
    return (found, head) if len(found) < len(tokens) else (set(), [])


def _nearly_counts(value: int, after: set[int], lines: Sequence[Sequence[int]], pieces: Sequence[bytes]) -> bool:
    """n nodes and n - 1 lines; n cases of three lines; a grid of n columns."""
    follow = len(lines) - 1
    near = any(abs(value - count) <= 1 for count in after)
    return near or (value > 1 < follow and follow % value == 0) or value == len(pieces[lines[1][0]]) > 1


def _lines(pieces: Sequence[bytes], tokens: Sequence[int]) -> list[list[int]]:
    lines: list[list[int]] = [[]]
    for at in tokens:
        lines[-1].append(at)
        if at + 1 < len(pieces) and b"\n" in pieces[at + 1]:
            lines.append([])
    return [line for line in lines if line]


def integer(token: bytes) -> int | None:
    return int(token) if _INTEGER.fullmatch(token) else None


def range_of(texts: Sequence[Text], inputs: Sequence[bytes]) -> Range:
    tokens = [text.pieces[at] for text in texts for at in text.free[:5000]]
    integers = tuple(sorted({v for t in tokens if (v := integer(t)) is not None})) or (0, 1)
    words = tuple(sorted({t for t in tokens if not NUMBER.fullmatch(t)}))
    each = [data.split() for data in inputs] or [[]]
    largest = max((v for split in each for t in split[:5000] if (v := integer(t)) is not None), default=1)
    lines = max((data.count(b"\n") for data in inputs), default=0)
    return Range(
        integers, words, largest, lines, max(map(len, each)), max((len(t) for s in each for t in s), default=0)
    )
