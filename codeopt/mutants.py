"""Inputs that nobody has seen: known ones changed, with the original program as the oracle.

A draft that is right on the cases at hand only (a table of answers, a set where values repeat, 32-bit sums, abs() where
nothing was negative) is found by inputs that differ from them. Text is changed token by token so that its shape
stays: a number that counts what follows is kept, or kept true. An input that the original does not take (it fails, or
does not print the same twice) is thrown away.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

_PIECES = re.compile(rb"(\s+)")
_INTEGER = re.compile(rb"[+-]?\d{1,40}")
_DIGITS = re.compile(rb"\d{1,18}")
_NUMBER = re.compile(rb"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
LARGEST_BASE = 200_000  # bytes; a longer input is not changed token by token
LONG_ENOUGH = 140_000  # bytes; more than two pipe buffers
MOST_PIECES = 200_000  # lines, tokens or letters of a longer input


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
    head: tuple[int, ...]
    """Numbers of the first line that count nothing that one can see: a modulus, a width, a limit."""

    def with_tokens(self, changes: dict[int, bytes]) -> bytes:
        """The text with some tokens replaced."""
        return b"".join(changes.get(at, piece) for at, piece in enumerate(self.pieces))


Change = Callable[[_Text, random.Random, "_Range"], dict[int, bytes]]


@dataclass(frozen=True)
class _Range:
    """What the known inputs hold."""

    integers: tuple[int, ...]
    words: tuple[bytes, ...]
    largest: int
    """Of all integers, also of inputs that are not changed."""
    lines: int
    tokens: int
    letters: int
    """Of the longest input in lines and in tokens, and of the longest token."""


@dataclass(frozen=True)
class _Lengthen:
    """How a longer input is made."""

    factor: float
    """Of the longest known."""
    least: int
    """Bytes."""
    fresh: bool
    """With new numbers and not just known ones."""

    def times(self, pieces: int) -> int:
        """How many there will be, where the longest known input has `pieces`."""
        return min(int(pieces * self.factor) + 1, MOST_PIECES)


def mutants(inputs: Sequence[bytes], *, seed: int, each: int = 2, also_known: Sequence[bytes] = ()) -> list[Mutant]:
    """Changed inputs, those that are longer than every known one first. The same seed gives the same ones.

    also_known: inputs that are not changed, but say what is large and long.
    """
    draw = random.Random(seed)
    bases = sorted({data for data in inputs if len(data) <= LARGEST_BASE}, key=len)[:4]
    texts = [_parse(data) for data in bases]
    known = _range(texts, [*inputs, *also_known])
    found: dict[bytes, Mutant] = {}

    def lengthen(kind: str, number: int, how: _Lengthen) -> None:
        if number >= 0 and (data := _longer(texts[number], draw, known, how)) is not None:
            found.setdefault(data, Mutant(f"{kind}.{number}", data, True))

    last = len(texts) - 1
    lengthen("longer", last, _Lengthen(1.5, 0, False))
    lengthen("fresh", last, _Lengthen(1.5, 0, True))
    for copy in range(each):
        for name, beyond, change in _CHANGES:
            for number, text in enumerate(texts):
                data = text.with_tokens(change(text, draw, known))
                found.setdefault(data, Mutant(f"{name}.{number}.{copy}", data, beyond))
        if copy == 0:
            for number in (last, last - 1):
                lengthen("long", number, _Lengthen(0.0, LONG_ENOUGH, False))
            lengthen("longer", last - 1, _Lengthen(1.5, 0, False))
    return [mutant for data, mutant in found.items() if data not in set(inputs)]


def _parse(data: bytes) -> _Text:
    pieces = tuple(_PIECES.split(data))
    tokens = [at for at, piece in enumerate(pieces) if at % 2 == 0 and piece]
    counts, head = _counts(pieces, tokens)
    return _Text(pieces, tuple(at for at in tokens if at not in counts), tuple(head))


def _counts(pieces: Sequence[bytes], tokens: Sequence[int]) -> tuple[set[int], list[int]]:
    """Tokens that say how many tokens or lines follow, at the head of a line; and what else stands in the first."""
    lines = _lines(pieces, tokens)
    found, head = set(), []
    for number, line in enumerate(lines[:50]):
        after = {len(lines) - number - 1, len(line) - 1}
        after |= {len(lines[number + 1])} if number + 1 < len(lines) else set()
        after |= {sum(map(len, lines[number + 1 :]))}
        for at in line[:3]:
            value = _integer(pieces[at])
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


def _integer(token: bytes) -> int | None:
    return int(token) if _INTEGER.fullmatch(token) else None


def _range(texts: Sequence[_Text], inputs: Sequence[bytes]) -> _Range:
    tokens = [text.pieces[at] for text in texts for at in text.free[:5000]]
    integers = tuple(sorted({v for t in tokens if (v := _integer(t)) is not None})) or (0, 1)
    words = tuple(sorted({t for t in tokens if not _NUMBER.fullmatch(t)}))
    each = [data.split() for data in inputs] or [[]]
    largest = max((v for split in each for t in split[:5000] if (v := _integer(t)) is not None), default=1)
    lines = max((data.count(b"\n") for data in inputs), default=0)
    return _Range(
        integers, words, largest, lines, max(map(len, each)), max((len(t) for s in each for t in s), default=0)
    )


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
    letters = _letters(known)
    return _each(text, lambda t: t if _NUMBER.fullmatch(t) else bytes(draw.choices(letters, k=max(1, len(t)))))


def _letters(known: _Range) -> list[int]:
    return sorted({letter for word in known.words for letter in word} | set(b"abz"))


def _other_case(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    return _each(text, lambda t: t if _NUMBER.fullmatch(t) or draw.random() < 0.5 else t.swapcase())


def _larger(text: _Text, draw: random.Random, known: _Range) -> dict[int, bytes]:
    """A little beyond the largest, which an original still takes that cannot take a huge number."""
    top = max(1, known.largest)
    return _each(
        text, lambda t: b"%d" % draw.randint(top + 1, 2 * top) if _integer(t) is not None and draw.random() < 0.6 else t
    )


def _inner_numbers(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    """Numbers within words: 3/4, 12:30, x7."""

    def other(found: re.Match[bytes]) -> bytes:
        return b"%d" % draw.randint(1, 10 ** (len(found[0]) + 1))

    return _each(text, lambda t: t if _NUMBER.fullmatch(t) else _DIGITS.sub(other, t))


def _head(text: _Text, draw: random.Random, _known: _Range) -> dict[int, bytes]:
    """One number of the first line: a draft may have taken for granted what it is in all known inputs."""
    if not text.head:
        return {}
    at = draw.choice(text.head)
    value = int(text.pieces[at])
    return {at: b"%d" % draw.choice((value + 1, value - 1, 2 * value + 1, draw.randint(1, max(2, 2 * abs(value)))))}


def _unterminated(text: _Text, _draw: random.Random, _known: _Range) -> dict[int, bytes]:
    """No line end after the last line."""
    last = len(text.pieces) - 2
    return {last: b""} if last > 0 and not text.pieces[-1] else {}


def _each(text: _Text, change: Callable[[bytes], bytes]) -> dict[int, bytes]:
    return {at: change(text.pieces[at]) for at in text.free}


def _same_kind(a: bytes, b: bytes) -> bool:
    return bool(_NUMBER.fullmatch(a)) == bool(_NUMBER.fullmatch(b))


def _longer(text: _Text, draw: random.Random, known: _Range, how: _Lengthen) -> bytes | None:
    """An input of the same kind, longer than every known one; None where the text does not show how."""
    body = b"".join(text.pieces)
    lines = [line for line in body.split(b"\n") if line.strip()]
    if not lines:
        return None
    if len(text.pieces) <= 3 and known.words:
        return _longer_word(lines[0], draw, max(how.times(known.letters), how.least))

    def choose(among: Sequence[bytes]) -> bytes:
        chosen = draw.choice(among)
        return b" ".join(_fresh(token, draw, known) for token in chosen.split()) if how.fresh else chosen

    more = _more_lines(lines, choose, how.times(known.lines), how.least)
    if more is None and len(text.free) > 1:
        return _longer_last_line(lines, choose, how.times(known.tokens), how.least)
    return more


def _fresh(token: bytes, draw: random.Random, known: _Range) -> bytes:
    if _integer(token) is not None:
        return b"%d" % draw.randint(known.integers[0], known.integers[-1])
    return token if _NUMBER.fullmatch(token) else _DIGITS.sub(lambda m: b"%d" % draw.randrange(10 ** len(m[0])), token)


def _longer_word(word: bytes, draw: random.Random, letters: int) -> bytes:
    return bytes(draw.choices(word.strip(), k=letters)) + b"\n"


def _more_lines(
    lines: Sequence[bytes], choose: Callable[[Sequence[bytes]], bytes], wanted: int, least: int
) -> bytes | None:
    """Lines repeated in any order, where the first line counts them or all lines are alike; else None."""
    first, follow = lines[0].split(), lines[1:]
    at = _index(first, len(follow)) if len(follow) > 1 else None
    alike = len(lines) > 2 and len({len(line.split()) for line in lines}) == 1
    if at is None and not alike:
        return None
    known = lines if at is None else follow
    wanted = max(wanted, least * len(known) // sum(len(line) + 1 for line in known) + 1)
    head = [] if at is None else [b" ".join([*first[:at], b"%d" % wanted, *first[at + 1 :]])]
    return b"\n".join([*head, *(choose(known) for _ in range(wanted)), b""])


def _longer_last_line(
    lines: Sequence[bytes], choose: Callable[[Sequence[bytes]], bytes], wanted: int, least: int
) -> bytes:
    """Tokens of the last line repeated in any order, its count kept true."""
    last = lines[-1].split()
    kept = list(lines[:-1])
    wanted = max(wanted, len(last) + 1, least // (sum(map(len, last)) // len(last) + 1))
    counted = not kept and _integer(last[0]) == len(last) - 1
    tokens = [choose(last[1:] if counted else last) for _ in range(wanted)]
    if counted:
        tokens = [b"%d" % (wanted - 1), *tokens[1:]]
    if kept:
        head = [b"%d" % wanted if _integer(t) == len(last) else t for t in kept[-1].split()]
        kept = [*kept[:-1], b" ".join(head)]
    return b"\n".join([*kept, b" ".join(tokens), b""])


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
    ("larger", True, _larger),
    ("head", True, _head),
    ("inner", True, _inner_numbers),
    ("case", True, _other_case),
    ("unterminated", True, _unterminated),
)


def shorter(data: bytes, shares: Iterable[float]) -> Iterator[bytes]:
    """An input at each of these lengths, for those at which it can be made."""
    return (less for share in shares if (less := shrunk(data, share)) is not None)


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
