"""Changes token by token, inside and outside of the known range. The shape of the text stays."""

from __future__ import annotations

import random
from collections.abc import Callable

from codeopt.workloads.contract.program.tokens import DIGITS, NUMBER, Range, Text, integer

Change = Callable[[Text, random.Random, Range], dict[int, bytes]]
"""Returns the new tokens of a text, by their places."""
TokenChange = Callable[[bytes, random.Random, Range], bytes]


def _each(change: TokenChange) -> Change:
    """Each token that may change becomes another."""
    return lambda text, draw, known: {at: change(text.pieces[at], draw, known) for at in text.free}


def _numbers(share: float, change: TokenChange) -> Change:
    """Share of the numbers that are replaced."""

    def other(token: bytes, draw: random.Random, known: Range) -> bytes:
        return change(token, draw, known) if NUMBER.fullmatch(token) and draw.random() < share else token

    return _each(other)


def _words(kept: float, change: TokenChange) -> Change:
    """All words but such a share become others."""

    def other(token: bytes, draw: random.Random, known: Range) -> bytes:
        stays = NUMBER.fullmatch(token) or (kept and draw.random() < kept)
        return token if stays else change(token, draw, known)

    return _each(other)


def _shuffled(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    values = [text.pieces[at] for at in text.free]
    draw.shuffle(values)
    return dict(zip(text.free, values, strict=True))


def _repeated(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    chosen = [text.pieces[at] for at in draw.sample(text.free, min(3, len(text.free)))]
    if not chosen:
        return {}
    is_number = bool(NUMBER.fullmatch(chosen[0]))
    return {at: draw.choice(chosen) for at in text.free if bool(NUMBER.fullmatch(text.pieces[at])) is is_number}


def _new_token(token: bytes, draw: random.Random, known: Range) -> bytes:
    if integer(token) is not None:
        return b"%d" % draw.randint(known.integers[0], known.integers[-1])
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


def _one(text: Text, draw: random.Random, known: Range) -> dict[int, bytes]:
    at = draw.choice(text.free) if text.free else None
    return {} if at is None else {at: _new_token(text.pieces[at], draw, known)}


def _minus(token: bytes) -> bytes:
    return token[1:] if token[:1] == b"-" else b"-" + token.removeprefix(b"+")


def _huge(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    top = draw.choice((2**31 - 1, 2 * 10**9, 10**10, 2**53 + 1, 10**18))
    return {at: b"%d" % (top - draw.randrange(3)) for at in _places(text) if draw.random() < 0.6}


def _squares(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """Return values at and near squares that a float cannot hold: roots are rounded there."""
    root = draw.choice((10**9, 94906267, 3037000500, 10**10 + 19))
    return {at: b"%d" % (root**2 - draw.randrange(3)) for at in _places(text)}


def _places(text: Text) -> list[int]:
    """Places of the whole numbers that may change."""
    return [at for at in text.free if integer(text.pieces[at]) is not None]


def _doubled(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """A limit or a target becomes twice one of the numbers: one that is paired with itself."""
    numbers = [int(text.pieces[at]) for at in _places(text)]
    return {draw.choice(text.head): b"%d" % (2 * draw.choice(numbers))} if numbers and text.head else {}


def _related(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """One number becomes what others make together: a sum, twice one, a difference. Rare by chance, and often asked."""
    numbers = [int(text.pieces[at]) for at in _places(text)]
    places = [*text.head, *_places(text)]
    if not numbers or not places:
        return {}
    a, b = draw.choice(numbers), draw.choice(numbers)
    at = draw.choice(text.head) if text.head and draw.random() < 0.5 else draw.choice(places)
    return {at: b"%d" % draw.choice((2 * a, a + b, abs(a - b), a * b))}


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
    letters = sorted({letter for word in known.words for letter in word} | set(b"abz"))
    return _words(0, lambda token, *_: bytes(draw.choices(letters, k=max(1, len(token)))))(text, draw, known)


def _head(text: Text, draw: random.Random, _known: Range) -> dict[int, bytes]:
    """One number of the first line: a draft may have taken for granted what it is in all known inputs."""
    if not text.head:
        return {}
    at = draw.choice(text.head)
    value = int(text.pieces[at])
    return {at: b"%d" % draw.choice((value + 1, value - 1, 2 * value + 1, draw.randint(1, max(2, 2 * abs(value)))))}


def _end(token: bytes, draw: random.Random, known: Range) -> bytes:
    return token if integer(token) is None else b"%d" % draw.choice((known.integers[0], known.integers[-1]))


def _larger(token: bytes, draw: random.Random, known: Range) -> bytes:
    """A little beyond the largest, which an original still takes that cannot take a huge number."""
    top = max(1, known.largest)
    return b"%d" % draw.randint(top + 1, 2 * top) if integer(token) is not None and draw.random() < 0.6 else token


def _with_symbol(token: bytes, draw: random.Random, _known: Range) -> bytes:
    """A word with a sign that means something in a pattern."""
    at = draw.randrange(len(token))
    return token[:at] + bytes([draw.choice(b".+*?([^$|")]) + token[at + 1 :]


def _with_numbers(token: bytes, draw: random.Random, _known: Range) -> bytes:
    """A word with other numbers in it: 3/4, 12:30, x7."""
    return DIGITS.sub(lambda digits: b"%d" % draw.randint(1, 10 ** (len(digits[0]) + 1)), token)


def _unterminated(text: Text, _draw: random.Random, _known: Range) -> dict[int, bytes]:
    last = len(text.pieces) - 2
    return {last: b""} if last > 0 and not text.pieces[-1] else {}


CHANGES: tuple[tuple[str, Change], ...] = (
    ("shuffled", _shuffled),
    ("repeated", _repeated),
    ("resampled", _each(_new_token)),
    ("ends", _each(_end)),
    ("one", _one),
    ("zeroed", _numbers(0.4, lambda *_: b"0")),
    ("negated", _numbers(0.5, lambda token, *_: _minus(token))),
    ("huge", _huge),
    ("spread", _spread),
    ("words", _new_words),
    ("larger", _each(_larger)),
    ("doubled", _doubled),
    ("related", _related),
    ("squares", _squares),
    ("spaced", _words(0.4, lambda token, *_: token + b" " + token[:1])),
    ("symbols", _words(0.4, _with_symbol)),
    ("head", _head),
    ("inner", _words(0, _with_numbers)),
    ("case", _words(0.5, lambda token, *_: token.swapcase())),
    ("unterminated", _unterminated),
)
