"""Texts near known ones: changed characters, and tokens of known texts in new combinations."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

LONGEST = 40
"""Maximum length of a token that is used again, characters."""
MOST = 400
"""Maximum number of tokens that are known."""
CONSTANTS = 10
"""Number of a function's constants that are tried with each other."""
NUMBERS = 2
"""Number of the numbers in one text that are replaced by others."""
MARKS = 3
"""Number of the marks of one text that are tried with each other."""
_CHARS = " \t\n_-.,:;/'\"()[]{}<>&#%\\|=*?+$@aAzZ09"
_ODD = "\xe9\xdf\u0130\u6f22\u0301\U0001f600\xa0\u0663\xb2\ufb01\u2028\x85\x00"
"""Accents, other case of another length, wide, combining, beyond 16 bits, spaces, digits and line ends of others."""
_BOLD = ("\x1b[1m", "\x1b[0m", "\x1b[31m")
"""Escape sequences, which a terminal does not show."""
_SCRIPTS = "\u0660\u0966\uff10"
"""Zeros of other scripts: Arabic, Devanagari, full width; `int` reads their digits, `[0-9]` does not match them."""
_NUMBER = re.compile("-?[0-9]{1,18}")
PLAIN = ("a", "ab", "A", "7", "12", " ")
_TOKENS = re.compile(r"[^\W_]+|\s|[\W_]")


def tokens(text: str) -> list[str]:
    """Words and numbers, and each mark by itself."""
    return _TOKENS.findall(text)


def texts_in(value: Any, depth: int = 3) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, bytes):
        yield value.decode("latin1")
    elif isinstance(value, list | tuple | set | frozenset | dict) and depth:
        items = [*value, *value.values()] if isinstance(value, dict) else list(value)
        for item in items[:50]:
            yield from texts_in(item, depth - 1)


def _in_script(digits: str, zero: str) -> str:
    """Digits of another script."""
    return digits.translate({ord(digit): ord(zero) + int(digit) for digit in digits.lstrip("-")})


class Texts:
    """Changes one text at a time.

    `own` are texts in the function, `words` these and more of its module, `known` are texts of known calls.
    """

    def __init__(self, draw: random.Random, own: Sequence[str], words: Sequence[str], known: Sequence[str]) -> None:
        self.draw = draw
        self.own, self.words = ([word for word in some if 0 < len(word) <= LONGEST] for some in (own, words))
        self.known = [text for text in dict.fromkeys(known) if 0 < len(text) <= LONGEST][:MOST]
        parts = dict.fromkeys(part for text in (*known[:MOST], *self.words) for part in tokens(text[:500]))
        self.parts = [*PLAIN, *[part for part in parts if len(part) <= LONGEST][:MOST]]
        self.marks = [" ", *[part for part in (*self.parts, *self.own, *self.own) if not any(map(str.isalnum, part))]]

    def change(self, value: str, others: Sequence[Any]) -> str:
        """In its characters, in its tokens, or in its fields. others: the other arguments of the call."""
        numbers = list(_NUMBER.finditer(value))
        if numbers and self.draw.random() < (0.5 if numbers[0][0] == value.strip() else 0.12):
            found = self.draw.choice(numbers)
            return value[: found.start()] + self.number(found[0]) + value[found.end() :]
        near = [text for other in others for text in texts_in(other, 1) if len(text) <= LONGEST]
        way = self.draw.random()
        if way < 0.4:
            return self.characters(value, near)
        return self.anew(value, near) if way < 0.75 else self.fields(value, near)

    def usual(self, value: str) -> Iterator[str]:
        """Yield texts that people meet sooner or later: zero and other numbers in place of one, a line end, one letter
        beyond ASCII."""
        for found in islice(_NUMBER.finditer(value), NUMBERS):
            number = int(found[0])
            for other in ("0", "-1", str(number + 1), str(number - 1), _in_script(found[0], _SCRIPTS[0])):
                yield value[: found.start()] + other + value[found.end() :]
        if value:
            yield from (f"{value}\n", _ODD[0], value + _ODD[0])

    def number(self, digits: str) -> str:
        """Digits of another number: a neighbour, zero, a negative one; or the same number written in another way."""
        value = int(digits)
        return self.draw.choice((
            "0", "0", "-1", str(value + 1), str(value - 1), str(-value), f"0{digits}", f"+{digits}", f"{digits}.0",
            _in_script(digits, self.draw.choice(_SCRIPTS)),
        ))  # fmt: skip

    def characters(self, value: str, near: Sequence[str]) -> str:
        """Shorter, longer, other case, other white space, and a word within."""
        at = self.place(value)
        words = [*self.words, *near]
        options: list[Callable[[], str]] = [
            lambda: "", lambda: value[:at], lambda: value[at:], lambda: value[::-1], lambda: value + value,
            lambda: value[:at] + self.draw.choice(_CHARS) + value[at:], lambda: value[:at] + value[at + 1 :],
            lambda: value[:at] + (self.draw.choice(words) if words else " ") + value[at:],
            lambda: value[:at] + "".join(self.draw.sample((*_ODD, *_BOLD), 2)) + value[at:],
            lambda: value.upper(), lambda: value.lower(), lambda: f" {value} ", lambda: self.shuffled(value),
            lambda: value[:at] + value[max(0, at - 1) : at] + value[at:],
            lambda: value.replace(value[at - 1 : at] or "a", self.draw.choice(_CHARS[:24])),
        ]  # fmt: skip
        return self.draw.choice(options)()

    def anew(self, value: str, near: Sequence[str]) -> str:
        """Tokens put in, left out, repeated, exchanged; parts of two texts; a phrase of known words."""
        parts = tokens(value)
        at = self.draw.choice((0, len(parts), self.draw.randint(0, len(parts)), self.draw.randint(0, len(parts))))
        end = min(len(parts), at + self.draw.choice((1, 1, 1, 2, 3)))
        options: list[Callable[[], Sequence[str]]] = [
            *[lambda: [*parts[:at], *self.phrase(near), *parts[at:]]] * 4,
            *[lambda: [*parts[:at], *self.phrase(near), *parts[end:]]] * 2,
            lambda: parts[:at] + parts[end:],
            lambda: parts[:end] + parts[at:],
            lambda: [*parts[:at], *parts[at:end][::-1], *parts[end:]],
            lambda: self.draw.sample(parts, len(parts)),
            lambda: self.crossed(parts),
            lambda: self.phrase(near),
            lambda: [*self.phrase(near), *self.phrase(near)],
        ]
        return "".join(self.draw.choice(options)())

    def fields(self, value: str, near: Sequence[str]) -> str:
        """Change the fields between marks of one kind: one more, one less, one changed, two exchanged, one again."""
        marks = [part for part in tokens(value) if not part.isalnum()]
        mark = self.draw.choice(marks) if marks else self.draw.choice(self.marks)
        parts = value.split(mark)
        at = self.draw.choice((len(parts) - 1, self.draw.randrange(len(parts))))
        one = parts[at]
        options: list[Callable[[], Sequence[str]]] = [
            *[lambda: [*parts[: at + 1], "".join(self.phrase(near)), *parts[at + 1 :]]] * 3,
            *[lambda: [*parts[:at], self.characters(one, near), *parts[at + 1 :]]] * 2,
            lambda: [*parts[:at], "".join(self.phrase(near)), *parts[at + 1 :]],
            lambda: parts[:at] + parts[at + 1 :],
            lambda: [*parts[:at], one, *parts[at:]],
            lambda: [*parts[:at], "", *parts[at:]],
            lambda: self.draw.sample(parts, len(parts)),
        ]
        return mark.join(self.draw.choice(options)())

    def constants_at_fields(self, value: str) -> list[str]:
        """Return texts with a constant of the function where a field can begin or end, at the front and at the back.

        A parser looks for these. A fuzzer also tries its dictionary first, in AFL's deterministic stage.
        """
        marks = list(dict.fromkeys(part for part in tokens(value) if not part.isalnum()))
        known = [mark for mark in marks if any(mark in word for word in self.words)] or marks or [" "]
        constants = [word for word in dict.fromkeys(self.own) if word not in known][:CONSTANTS]
        return [
            text
            for mark in known[:MARKS]
            for constant in constants
            for part in (constant, f"{constant}a")
            for text in (f"{value}{mark}{part}", f"{part}{mark}{value}")
        ]

    def phrase(self, near: Sequence[str]) -> list[str]:
        """A word or two, with marks before, between or after them."""
        found: list[str] = []
        for _ in range(self.draw.choice((1, 1, 1, 2))):
            found += [*self.mark(), self.word(near)]
        return [*found, *self.mark()]

    def word(self, near: Sequence[str]) -> str:
        """A constant of the function, a token of a known text or of another argument."""
        sources = [pool for pool in (self.own, self.own, self.words, self.parts, self.marks, near) if pool]
        return self.draw.choice(self.draw.choice(sources))

    def mark(self) -> list[str]:
        """Most of the time none."""
        return [self.draw.choice(self.marks)] if self.draw.random() < 0.4 else []

    def crossed(self, parts: Sequence[str]) -> list[str]:
        """The beginning of one text and the end of another."""
        other = tokens(self.draw.choice(self.known)) if self.known else []
        return [*parts[: self.draw.randint(0, len(parts))], *other[self.draw.randint(0, len(other)) :]]

    def place(self, value: str) -> int:
        """Return a random position. Half of the time it is next to a sign that is not alphanumeric, as structure is
        there."""
        marks = [at for at, char in enumerate(value) if not char.isalnum()]
        if marks and self.draw.random() < 0.5:
            return self.draw.choice(marks) + self.draw.randint(0, 1)
        return self.draw.randint(0, len(value))

    def shuffled(self, value: str) -> str:
        """Return the text with its characters in another order."""
        return "".join(self.draw.sample(value, len(value)))
