"""Changes token by token, inside and outside of the known range. The shape of the text stays."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from codeopt.workloads.contract.program.tokens import DIGITS, NUMBER, Range, Text, integer

Change = Callable[[Text, random.Random, Range], dict[int, bytes]]


def _shuffled(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    values = [text.pieces[at] for at in text.free]
    draw.shuffle(values)
    return dict(zip(text.free, values, strict=True))


def _repeated(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    chosen = [text.pieces[at] for at in draw.sample(text.free, min(3, len(text.free)))]
    return {at: draw.choice(chosen) for at in text.free if _same_kind(text.pieces[at], chosen[0])} if chosen else {}


def _resampled(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    low, high = known.integers[0], known.integers[-1]
    return _each(text, lambda token: _new_token(token, draw, low, high, known))


def _new_token(token: bytes, draw: random.Random, low: int, high: int, known: Range) -> bytes:
    if integer(token) is not None:
        return b"%d" % draw.randint(low, high)
    if NUMBER.fullmatch(token):
        return _new_fraction(token, draw)
    return draw.choice(known.words) if known.words else token


def _new_fraction(token: bytes, draw: random.Random) -> bytes:
    """Return a number with as many decimal places. A number with an exponent is unchanged."""
    whole, _, places = token.lstrip(b"+-").partition(b".")
    if not places.isdigit():
        return token
    top = 2 * int(whole + places or b"0") + 9
    return b"%.*f" % (len(places), draw.randint(0, top) / 10 ** len(places))


def _ends(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    ends = (known.integers[0], known.integers[-1])
    return _each(text, lambda token: b"%d" % draw.choice(ends) if integer(token) is not None else token)


def _one(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    at = draw.choice(text.free) if text.free else None
    return {} if at is None else {at: _new_token(text.pieces[at], draw, known.integers[0], known.integers[-1], known)}


def _negated(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    return _each(text, lambda token: _minus(token) if NUMBER.fullmatch(token) and draw.random() < 0.5 else token)


def _minus(token: bytes) -> bytes:
    return token[1:] if token[:1] == b"-" else b"-" + token.removeprefix(b"+")


def _zeroed(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    return _each(text, lambda token: b"0" if NUMBER.fullmatch(token) and draw.random() < 0.4 else token)


def _huge(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    top = draw.choice((2**31 - 1, 2 * 10**9, 10**10, 2**53 + 1, 10**18))
    return _each(
        text, lambda t: b"%d" % (top - draw.randrange(3)) if integer(t) is not None and draw.random() < 0.6 else t
    )


def _squares(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Return values at and near squares that a float cannot hold: roots are rounded there."""
    root = draw.choice((10**9, 94906267, 3037000500, 10**10 + 19))
    return _each(text, lambda t: b"%d" % (root**2 - draw.randrange(3)) if integer(t) is not None else t)


def _numbers(text: Text) -> list[int]:
    """Places of the numbers that may change."""
    return [value for at in text.free if (value := integer(text.pieces[at])) is not None]


def _doubled(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """A limit or a target becomes twice one of the numbers: one that is paired with itself."""
    numbers = _numbers(text)
    return {draw.choice(text.head): b"%d" % (2 * draw.choice(numbers))} if numbers and text.head else {}


def _related(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """One number becomes what others make together: a sum, twice one, a difference. Rare by chance, and often asked."""
    numbers = _numbers(text)
    places = [at for at in (*text.head, *text.free) if integer(text.pieces[at]) is not None]
    if not numbers or not places:
        return {}
    a, b = draw.choice(numbers), draw.choice(numbers)
    at = draw.choice(text.head) if text.head and draw.random() < 0.5 else draw.choice(places)
    return {at: b"%d" % draw.choice((2 * a, a + b, abs(a - b), a * b))}


def _spaced(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Return words of two parts, for programs that use whole lines."""
    return _each(text, lambda t: t if NUMBER.fullmatch(t) or draw.random() < 0.4 else t + b" " + t[:1])


def _symbols(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Words with signs that mean something in a pattern."""

    def other(token: bytes) -> bytes:
        at = draw.randrange(len(token))
        return token[:at] + bytes([draw.choice(b".+*?([^$|")]) + token[at + 1 :]

    return _each(text, lambda t: t if NUMBER.fullmatch(t) or draw.random() < 0.4 else other(t))


def _spread(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Large numbers that cancel around small ones, each of which a plain float sum loses."""
    places = [at for at in text.free if NUMBER.fullmatch(text.pieces[at])]
    if len(places) < 3:
        return {}
    small, wide = draw.choice((b"0.125", b"1", b"3e-9", b"0.7")), [b"1e17", b"-1e17"]
    draw.shuffle(wide)
    return {at: small for at in places[1:-1]} | {places[0]: wide[0], places[-1]: wide[1]}


def _new_words(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    if not known.words:
        return {}
    letters = _letters(known)
    return _each(text, lambda t: t if NUMBER.fullmatch(t) else bytes(draw.choices(letters, k=max(1, len(t)))))


def _letters(known: Range) -> list[int]:
    return sorted({letter for word in known.words for letter in word} | set(b"abz"))


def _other_case(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    return _each(text, lambda t: t if NUMBER.fullmatch(t) or draw.random() < 0.5 else t.swapcase())


def _larger(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    """A little beyond the largest, which an original still takes that cannot take a huge number."""
    top = max(1, known.largest)
    return _each(
        text, lambda t: b"%d" % draw.randint(top + 1, 2 * top) if integer(t) is not None and draw.random() < 0.6 else t
    )


def _inner_numbers(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Numbers within words: 3/4, 12:30, x7."""

    def other(found: re.Match[bytes]) -> bytes:
        return b"%d" % draw.randint(1, 10 ** (len(found[0]) + 1))

    return _each(text, lambda t: t if NUMBER.fullmatch(t) else DIGITS.sub(other, t))


def _head(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """One number of the first line: a draft may have taken for granted what it is in all known inputs."""
    if not text.head:
        return {}
    at = draw.choice(text.head)
    value = int(text.pieces[at])
    return {at: b"%d" % draw.choice((value + 1, value - 1, 2 * value + 1, draw.randint(1, max(2, 2 * abs(value)))))}


def _unterminated(text: Text, _draw: random.Random, _known: Range) -> dict[int, bytes]:
    last = len(text.pieces) - 2
    return {last: b""} if last > 0 and not text.pieces[-1] else {}


def _each(text: Text, change: Callable[[bytes], bytes]) -> dict[int, bytes]:
    return {at: change(text.pieces[at]) for at in text.free}


def _same_kind(a: bytes, b: bytes) -> bool:
    return bool(NUMBER.fullmatch(a)) == bool(NUMBER.fullmatch(b))


CHANGES: tuple[tuple[str, Change], ...] = (
    ("shuffled", _shuffled),
    ("repeated", _repeated),
    ("resampled", _resampled),
    ("ends", _ends),
    ("one", _one),
    ("zeroed", _zeroed),
    ("negated", _negated),
    ("huge", _huge),
    ("spread", _spread),
    ("words", _new_words),
    ("larger", _larger),
    ("doubled", _doubled),
    ("related", _related),
    ("squares", _squares),
    ("spaced", _spaced),
    ("symbols", _symbols),
    ("head", _head),
    ("inner", _inner_numbers),
    ("case", _other_case),
    ("unterminated", _unterminated),
)
