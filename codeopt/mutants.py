"""Inputs that nobody has seen: known ones changed, with the original program as the oracle.

A draft that is right on the cases at hand only (a table of answers, a set where values repeat, 32-bit sums, abs() where
nothing was negative) is found by inputs that differ from them. Text is changed token by token so that its shape
stays: a number that counts what follows is kept, or kept true. An input that the original does not take (it fails, or
does not print the same twice) is thrown away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_PIECES = re.compile(rb"(\s+)")
_INTEGER = re.compile(rb"[+-]?\d{1,40}")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LARGEST_BASE = 200_000  # bytes; a longer input is not changed token by token
LONG_ENOUGH = 140_000  # bytes; more than two pipe buffers


@dataclass(frozen=True)
class Mutant:
    """One changed input."""

    name: str
    stdin: bytes
    beyond: bool
    """Outside of what the known inputs show: more negative, larger, longer, other words."""


@dataclass(frozen=True)
class _Text:
    """An input as tokens and what stands between them; `free` are the tokens that may change."""

    pieces: tuple[bytes, ...]
    free: tuple[int, ...]

    def with_tokens(self, changes: dict[int, bytes]) -> bytes:
        """The text with some tokens replaced."""
        return b"".join(changes.get(at, piece) for at, piece in enumerate(self.pieces))


Change = Callable[[_Text, random.Random, "_Range"], dict[int, bytes]]


@dataclass(frozen=True)
class _Range:
    """What the known inputs hold."""

    integers: tuple[int, ...]
    words: tuple[bytes, ...]


def mutants(inputs: Sequence[bytes], *, seed: int, each: int = 2) -> list[Mutant]:
    """Changed inputs, the short ones first. The same seed gives the same ones."""
    draw = random.Random(seed)
    bases = sorted({data for data in inputs if len(data) <= LARGEST_BASE}, key=len)[:4]
    texts = [_parse(data) for data in bases]
    known = _range(texts)
    found: dict[bytes, Mutant] = {}
    for number, text in enumerate(texts):
        for name, beyond, change in _CHANGES:
            for copy in range(each):
                data = text.with_tokens(change(text, draw, known))
                found.setdefault(data, Mutant(f"{name}.{number}.{copy}", data, beyond))
        for longer in _longer(text, draw, known):
            found.setdefault(longer, Mutant(f"long.{number}", longer, True))
    return [mutant for data, mutant in found.items() if data not in set(inputs)]


def _parse(data: bytes) -> _Text:
    pieces = tuple(_PIECES.split(data))
    tokens = [at for at, piece in enumerate(pieces) if at % 2 == 0 and piece]
    counts = _counts(pieces, tokens)
    return _Text(pieces, tuple(at for at in tokens if at not in counts))


def _counts(pieces: Sequence[bytes], tokens: Sequence[int]) -> set[int]:
    """Tokens that say how many tokens or lines follow, in the first two lines or anywhere at the head of a line."""
    lines = _lines(pieces, tokens)
    found = set()
    for number, line in enumerate(lines[:50]):
        after = {len(lines) - number - 1, len(line) - 1}
        after |= {len(lines[number + 1])} if number + 1 < len(lines) else set()
        after |= {sum(map(len, lines[number + 1 :]))}
        for at in line[:3]:
            value = _integer(pieces[at])
            if value is not None and (value in after - {0} or (number == 0 and len(lines) > 1)):
                found.add(at)
    return found if len(found) < len(tokens) else set()


def _lines(pieces: Sequence[bytes], tokens: Sequence[int]) -> list[list[int]]:
    lines: list[list[int]] = [[]]
    for at in tokens:
        lines[-1].append(at)
        if at + 1 < len(pieces) and b"\n" in pieces[at + 1]:
            lines.append([])
    return [line for line in lines if line]


def _integer(token: bytes) -> int | None:
    return int(token) if _INTEGER.fullmatch(token) else None


def _range(texts: Sequence[_Text]) -> _Range:
    tokens = [text.pieces[at] for text in texts for at in text.free[:5000]]
    integers = tuple(sorted({v for t in tokens if (v := _integer(t)) is not None})) or (0, 1)
    words = tuple(sorted({t for t in tokens if not _NUMBER.fullmatch(t)}))
    return _Range(integers, words)


# --- changes within the range of what is known ---------------------------------------------------


def _shuffled(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    values = [text.pieces[at] for at in text.free]
    draw.shuffle(values)
    return dict(zip(text.free, values, strict=True))


def _repeated(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    chosen = [text.pieces[at] for at in draw.sample(text.free, min(3, len(text.free)))]
    return {at: draw.choice(chosen) for at in text.free if _same_kind(text.pieces[at], chosen[0])} if chosen else {}


def _resampled(text: _Text, draw: random.Random, known: _Range) -> dict[int, bytes]:
    low, high = known.integers[0], known.integers[-1]
    return _each(text, lambda token: _new_token(token, draw, low, high, known))


def _new_token(token: bytes, draw: random.Random, low: int, high: int, known: _Range) -> bytes:
    if _integer(token) is not None:
        return b"%d" % draw.randint(low, high)
    if _NUMBER.fullmatch(token) or not known.words:
        return token
    return draw.choice(known.words)


def _ends(text: _Text, draw: random.Random, known: _Range) -> dict[int, bytes]:
    ends = (known.integers[0], known.integers[-1])
    return _each(text, lambda token: b"%d" % draw.choice(ends) if _integer(token) is not None else token)


def _one(text: _Text, draw: random.Random, known: _Range) -> dict[int, bytes]:
    at = draw.choice(text.free) if text.free else None
    return {} if at is None else {at: _new_token(text.pieces[at], draw, known.integers[0], known.integers[-1], known)}


# --- changes beyond it ---------------------------------------------------------------------------


def _negated(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    return _each(text, lambda token: _minus(token) if _NUMBER.fullmatch(token) and draw.random() < 0.5 else token)


def _minus(token: bytes) -> bytes:
    return token[1:] if token[:1] == b"-" else b"-" + token.removeprefix(b"+")


def _zeroed(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    return _each(text, lambda token: b"0" if _NUMBER.fullmatch(token) and draw.random() < 0.4 else token)


def _huge(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    top = draw.choice((2**31 - 1, 2 * 10**9, 10**10, 2**53 + 1, 10**18))
    return _each(
        text, lambda t: b"%d" % (top - draw.randrange(3)) if _integer(t) is not None and draw.random() < 0.6 else t
    )


def _spread(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    """Large numbers that cancel around small ones, which plain float sums lose."""
    start = draw.randrange(3)
    wide = (b"1e17", draw.choice((b"0.125", b"1", b"3e-9", b"0.7")), b"-1e17")
    return {at: wide[(start + number) % 3] for number, at in enumerate(text.free) if _NUMBER.fullmatch(text.pieces[at])}


def _new_words(text: _Text, draw: random.Random, known: _Range) -> dict[int, bytes]:
    if not known.words:
        return {}
    letters = sorted({letter for word in known.words for letter in word} | set(b"abz"))
    return _each(text, lambda t: t if _NUMBER.fullmatch(t) else bytes(draw.choices(letters, k=max(1, len(t)))))


def _each(text: _Text, change: Callable[[bytes], bytes]) -> dict[int, bytes]:
    return {at: change(text.pieces[at]) for at in text.free}


def _same_kind(a: bytes, b: bytes) -> bool:
    return bool(_NUMBER.fullmatch(a)) == bool(_NUMBER.fullmatch(b))


def _longer(text: _Text, draw: random.Random, known: _Range) -> Iterator[bytes]:
    """One text of more than a pipe buffer: tokens resampled and repeated on the last line, its count kept true."""
    if len(text.free) < 2:
        return
    body = b"".join(text.pieces)
    lines = [line for line in body.split(b"\n") if line.strip()]
    last = lines[-1].split()
    kept = lines[:-1]
    wanted = max(len(last) + 1, LONG_ENOUGH // (sum(map(len, last)) // len(last) + 1))
    tokens = [draw.choice(last) for _ in range(wanted)]
    if not kept and _integer(last[0]) == len(last) - 1:
        tokens = [b"%d" % (wanted - 1), *tokens[1:]]
    if kept:
        head = [b"%d" % wanted if _integer(t) == len(last) else t for t in kept[-1].split()]
        kept = [*kept[:-1], b" ".join(head)]
    yield b"\n".join([*kept, b" ".join(tokens), b""])


_CHANGES: tuple[tuple[str, bool, Change], ...] = (
    ("shuffled", False, _shuffled),
    ("repeated", False, _repeated),
    ("resampled", False, _resampled),
    ("ends", False, _ends),
    ("one", False, _one),
    ("zeroed", True, _zeroed),
    ("negated", True, _negated),
    ("huge", True, _huge),
    ("spread", True, _spread),
    ("words", True, _new_words),
)


def shrunk(data: bytes, share: float) -> bytes | None:
    """The same kind of input, `share` as long, its counts kept true; None where the text does not show how."""
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
    value = _integer(first[0]) if len(lines) == 1 and len(first) == 1 else None
    return b"%d\n" % max(1, round(value * share)) if value else None


def _shorter_last_line(lines: Sequence[bytes], last: Sequence[bytes], kept: int) -> bytes | None:
    if len(lines) == 1:
        if _integer(last[0]) == len(last) - 1:
            return b" ".join([b"%d" % max(1, kept - 1), *last[1 : max(2, kept)]]) + b"\n"
        return b" ".join(last[:kept]) + b"\n"
    for number in range(len(lines) - 2, -1, -1):
        head = lines[number].split()
        if (at := _index(head, len(last))) is not None:
            changed = b" ".join([*head[:at], b"%d" % kept, *head[at + 1 :]])
            return b"\n".join([*lines[:number], changed, *lines[number + 1 : -1], b" ".join(last[:kept]), b""])
    return None


def _index(tokens: Sequence[bytes], value: int) -> int | None:
    return next((at for at, token in enumerate(tokens) if _integer(token) == value), None)
