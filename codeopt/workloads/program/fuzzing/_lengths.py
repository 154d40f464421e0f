"""Inputs of the same kind that are longer than every known one, or shorter; their counts kept true."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from codeopt.workloads.contract.program.tokens import DIGITS, NUMBER, Range, Text, integer

MOST_PIECES = 200_000  # lines, tokens or letters of a longer input


@dataclass(frozen=True)
class Lengthen:
    """Parameters of a longer input."""

    factor: float
    """Length as a multiple of the longest known input."""
    least: int
    fresh: bool
    """True for new numbers in addition to known ones."""

    def times(self, pieces: int) -> int:
        """Return the number of pieces, if the longest known input has `pieces`."""
        return min(int(pieces * self.factor) + 1, MOST_PIECES)


def longer(text: Text, draw: random.Random, known: Range, how: Lengthen) -> bytes | None:
    """An input of the same kind, longer than every known one; None where the text does not show how."""
    body = b"".join(text.pieces)
    lines = [line for line in body.split(b"\n") if line.strip()]
    if not lines:
        return None
    if len(text.pieces) <= 3 and known.words:
        return _longer_word(lines[0], draw, max(how.times(known.letters), how.least))

    def choose(among: Sequence[bytes], count: int) -> list[bytes]:
        chosen = draw.choices(among, k=count)
        if not how.fresh:
            return chosen
        return [b" ".join(_fresh(token, draw, known) for token in each.split()) for each in chosen]

    more = _more_lines(lines, choose, how.times(known.lines), how.least)
    if more is None and len(text.free) > 1:
        return _longer_last_line(lines, choose, how.times(known.tokens), how.least)
    return more


def _fresh(token: bytes, draw: random.Random, known: Range) -> bytes:
    if integer(token) is not None:
        return b"%d" % draw.randint(known.integers[0], known.integers[-1])
    return token if NUMBER.fullmatch(token) else DIGITS.sub(lambda m: b"%d" % draw.randrange(10 ** len(m[0])), token)


def _longer_word(word: bytes, draw: random.Random, letters: int) -> bytes:
    return bytes(draw.choices(word.strip(), k=letters)) + b"\n"


def _more_lines(
    lines: Sequence[bytes], choose: Callable[[Sequence[bytes], int], list[bytes]], wanted: int, least: int
) -> bytes | None:
    """Repeat lines in any order, if the first line counts them or all lines have equally many words. Otherwise None."""
    first, follow = lines[0].split(), lines[1:]
    at = _index(first, len(follow)) if len(follow) > 1 else None
    alike = len(lines) > 2 and len({len(line.split()) for line in lines}) == 1
    if at is None and not alike:
        return None
    known = lines if at is None else follow
    wanted = max(wanted, least * len(known) // sum(len(line) + 1 for line in known) + 1)
    head = [] if at is None else [b" ".join([*first[:at], b"%d" % wanted, *first[at + 1 :]])]
    return b"\n".join([*head, *choose(known, wanted), b""])


def _longer_last_line(
    lines: Sequence[bytes], choose: Callable[[Sequence[bytes], int], list[bytes]], wanted: int, least: int
) -> bytes:
    """Tokens of the last line repeated in any order, its count kept true."""
    last = lines[-1].split()
    kept = list(lines[:-1])
    wanted = max(wanted, len(last) + 1, least // (sum(map(len, last)) // len(last) + 1))
    counted = not kept and integer(last[0]) == len(last) - 1
    tokens = choose(last[1:] if counted else last, wanted)
    if counted:
        tokens = [b"%d" % (wanted - 1), *tokens[1:]]
    if kept:
        head = [b"%d" % wanted if integer(t) == len(last) else t for t in kept[-1].split()]
        kept = [*kept[:-1], b" ".join(head)]
    return b"\n".join([*kept, b" ".join(tokens), b""])


def shorter(data: bytes, shares: Iterable[float]) -> Iterator[bytes]:
    """An input at each of these lengths, for those at which it can be made."""
    return (less for share in shares if (less := shrunk(data, share)) is not None)


def shrunk(data: bytes, share: float) -> bytes | None:
    """Return an input of the same kind and a share of the length, with correct counts. None if the text does not allow
    it."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        return None
    first = lines[0].split()
    follow = len(lines) - 1
    if follow > 1 and (at := _index(first, follow)) is not None:
        kept = max(1, round(follow * share))
        head = b" ".join([*first[:at], b"%d" % kept, *first[at + 1 :]])
        return b"\n".join([head, *lines[1 : 1 + kept], b""])
    last = lines[-1].split()
    if len(last) > 4:
        return _shorter_last_line(lines, last, max(1, round(len(last) * share)))
    value = integer(first[0]) if len(lines) == 1 and len(first) == 1 else None
    return b"%d\n" % max(1, round(value * share)) if value else None


def _shorter_last_line(lines: Sequence[bytes], last: Sequence[bytes], kept: int) -> bytes | None:
    if len(lines) == 1:
        if integer(last[0]) == len(last) - 1:
            return b" ".join([b"%d" % max(1, kept - 1), *last[1 : max(2, kept)]]) + b"\n"
        return b" ".join(last[:kept]) + b"\n"
    for number in range(len(lines) - 2, -1, -1):
        head = lines[number].split()
        if (at := _index(head, len(last))) is not None:
            changed = b" ".join([*head[:at], b"%d" % kept, *head[at + 1 :]])
            return b"\n".join([*lines[:number], changed, *lines[number + 1 : -1], b" ".join(last[:kept]), b""])
    return None


def _index(tokens: Sequence[bytes], value: int) -> int | None:
    return next((at for at, token in enumerate(tokens) if integer(token) == value), None)
