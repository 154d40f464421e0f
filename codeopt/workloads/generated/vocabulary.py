"""Texts and words to make inputs from: literals that a function's text uses, those of known inputs, and unusual ones.

They are its constants, those of the module's names that it uses, and texts that its regular expressions match.
"""

from __future__ import annotations

import ast
import random
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

MOST = 150
"""Maximum number of values altogether."""
LONGEST = 40
"""Maximum length of a text, characters."""
DEPTH = 2
"""Number of steps that names are followed."""
SAMPLES = 4
"""Texts that are made for one regular expression."""
_CALLS = ("compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer")


@dataclass(frozen=True)
class Vocabulary:
    """Plain values. Those in the function itself are separate."""

    own: tuple[Any, ...] = ()
    reached: tuple[Any, ...] = ()
    """Values of the module's names that it uses, and of those that these use."""
    none: bool = False
    """True if the function's text names None."""
    keys: tuple[str, ...] = ()
    """Texts that the function takes items by: `row["number"]`, `row.get("amount")`."""

    @property
    def numbers(self) -> list[int]:
        return [value for value in (*self.own, *self.reached) if type(value) is int]

    @property
    def words(self) -> tuple[list[str], list[str]]:
        """Texts of the vocabulary, bytes as characters: the function's own, and all."""
        own, reached = (
            [
                value if isinstance(value, str) else value.decode("latin1")
                for value in values
                if type(value) in (str, bytes)
            ]
            for values in (self.own, self.reached)
        )
        return own, [*own, *reached]


_KINDS = {
    "DIGIT": "0123456789", "NOT_DIGIT": "a~ ", "SPACE": " \t", "NOT_SPACE": "a1~", "WORD": "ab_1", "NOT_WORD": "~. "
}  # fmt: skip


def vocabulary(module: str, function: str) -> Vocabulary:
    """Literals in the text of a function, and of its module."""
    own, whole = _tree(function), _tree(module)
    if own is None:
        return Vocabulary()
    homes = _module_level(whole.body) if whole else {}
    seen: set[str] = set()
    found: list[Any] = []
    level: list[ast.AST] = [own]
    for _ in range(DEPTH):
        names = sorted({name for node in level for name in _names(node)} - seen)
        seen |= set(names)
        level = [homes[name] for name in names if name in homes and homes[name] is not own]
        found += [value for node in level for value in _values(node)]
    none = any(isinstance(part, ast.Constant) and part.value is None for part in _without_prose(own))
    # keys that a generated row has
    return Vocabulary(_distinct(_values(own)), _distinct(found), none, tuple(dict.fromkeys(_keys(own)))[:12])


def _tree(source: str) -> ast.Module | None:
    """Tree of a text; None for one that cannot be read, as a method that is cut out may be."""
    for text in (source, f"if True:\n{source}"):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.parse(text)
        except (SyntaxError, ValueError):
            continue
    return None


def _module_level(body: Iterable[ast.stmt]) -> dict[str, ast.AST]:
    """Functions and assigned values by name; those of classes too, by the last part of their names."""
    found: dict[str, ast.AST] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found = _module_level(node.body) | found
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found |= {n.id: node.value for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def _names(node: ast.AST) -> set[str]:
    return {
        n.id if isinstance(n, ast.Name) else n.attr for n in ast.walk(node) if isinstance(n, ast.Name | ast.Attribute)
    }


def _values(node: ast.AST) -> Iterator[Any]:
    """The constants in it, regular expressions as what they match. Docstrings are prose."""
    patterns = set[int]()  # constants of the first argument of `re.compile(...)`, `re.sub(...)`
    for call in ast.walk(node):
        if isinstance(call, ast.Call) and call.args and isinstance(call.func, ast.Attribute):
            of_re = isinstance(call.func.value, ast.Name) and call.func.value.id in ("re", "regex")
            patterns |= set(map(id, ast.walk(call.args[0]))) if of_re and call.func.attr in _CALLS else set()
    for part in _without_prose(node):
        if not isinstance(part, ast.Constant):
            continue
        value = part.value
        if id(part) in patterns and isinstance(value, str | bytes):
            made = samples(value if isinstance(value, str) else value.decode("latin1"))
            yield from (made if isinstance(value, str) else [text.encode("latin1", "replace") for text in made])
        elif type(value) in (int, float) or (isinstance(value, str | bytes) and 0 < len(value) <= LONGEST):
            yield value


def _keys(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        key: ast.AST | None = part.slice if isinstance(part, ast.Subscript) else None
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) and part.func.attr == "get":
            key = next(iter(part.args), None)
        if isinstance(key, ast.Constant) and isinstance(key.value, str):
            yield key.value


def _without_prose(node: ast.AST) -> Iterator[ast.AST]:
    for part in ast.iter_child_nodes(node):
        if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
            continue
        yield part
        yield from _without_prose(part)
    if isinstance(node, ast.Constant):
        yield node


def _distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    return tuple({(type(value), repr(value)): value for value in values}.values())[:MOST]


def samples(pattern: str) -> list[str]:
    """A few short texts that a regular expression matches, or nearly; the pattern itself where it cannot be read."""
    draw = random.Random(len(pattern))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = re._parser.parse(pattern)  # type: ignore[attr-defined]
    except (re.error, OverflowError, RecursionError):
        return [pattern] if 0 < len(pattern) <= LONGEST else []
    found = [_matching(tree, draw) for _ in range(4 * SAMPLES)]
    short = dict.fromkeys(text for text in found if 0 < len(text) <= LONGEST)
    return list(short)[:SAMPLES]


def _matching(tree: Any, draw: random.Random) -> str:
    return "".join(_part(str(kind), value, draw) for kind, value in tree)


def _part(kind: str, value: Any, draw: random.Random) -> str:
    """Text that one node of a parsed expression matches; nothing for one that only looks."""
    if kind == "LITERAL":
        return chr(value)
    if kind in ("ANY", "NOT_LITERAL"):
        return draw.choice("a1 ")
    if kind == "IN":
        return _member(value, draw)
    if kind == "CATEGORY":
        return draw.choice(_KINDS[str(value).removeprefix("CATEGORY_")])
    if kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        least, most, inner = value
        return "".join(_matching(inner, draw) for _ in range(draw.randint(least, min(int(most), least + 2))))
    if kind == "SUBPATTERN":
        return _matching(value[-1], draw)
    if kind == "BRANCH":
        return _matching(draw.choice(value[1]), draw)
    return _matching(value, draw) if kind == "ATOMIC_GROUP" else ""


def _member(options: Any, draw: random.Random) -> str:
    """A character of a set; of one that says what is not in it, some other."""
    kind, value = draw.choice(options)
    if str(options[0][0]) == "NEGATE":
        barred = [(v, v) if str(k) == "LITERAL" else v for k, v in options if str(k) in ("LITERAL", "RANGE")]
        free = [char for char in "a1 ~zQ" if not any(low <= ord(char) <= high for low, high in barred)]
        return draw.choice(free or ["\xe9"])
    if str(kind) == "RANGE":
        return chr(draw.randint(value[0], min(value[1], value[0] + 30)))
    return _part(str(kind), value, draw)


# Texts near known ones: changed characters, and tokens of known texts in new combinations.

LONGEST_TOKEN = 40
"""Maximum length of a token that is used again, characters."""

MOST_TOKENS = 400
"""Maximum number of tokens that are known."""
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
        self.own, self.words = ([word for word in some if 0 < len(word) <= LONGEST_TOKEN] for some in (own, words))
        self.known = [text for text in dict.fromkeys(known) if 0 < len(text) <= LONGEST_TOKEN][:MOST_TOKENS]
        parts = dict.fromkeys(part for text in (*known[:MOST_TOKENS], *self.words) for part in tokens(text[:500]))
        self.parts = [*PLAIN, *[part for part in parts if len(part) <= LONGEST_TOKEN][:MOST_TOKENS]]
        self.marks = [" ", *[part for part in (*self.parts, *self.own, *self.own) if not any(map(str.isalnum, part))]]

    def change(self, value: str, others: Sequence[Any]) -> str:
        """In its characters, in its tokens, or in its fields. others: the other arguments of the call."""
        numbers = list(_NUMBER.finditer(value))
        if numbers and self.draw.random() < (0.5 if numbers[0][0] == value.strip() else 0.12):
            found = self.draw.choice(numbers)
            return value[: found.start()] + self.number(found[0]) + value[found.end() :]
        near = [text for other in others for text in texts_in(other, 1) if len(text) <= LONGEST_TOKEN]
        way = self.draw.random()
        if way < 0.4:
            return self.characters(value, near)
        return self.changed_tokens(value, near) if way < 0.75 else self.fields(value, near)

    def usual(self, value: str) -> Iterator[str]:
        """Yield texts that people meet sooner or later: zero and other numbers in place of one, a line end, one letter
        beyond ASCII, and all that is odd there, as a few calls alone may leave ASCII."""
        # number of the numbers in one text that are replaced by others
        for found in islice(_NUMBER.finditer(value), 2):
            number = int(found[0])
            for other in ("0", "-1", str(number + 1), str(number - 1), _in_script(found[0], _SCRIPTS[0])):
                yield value[: found.start()] + other + value[found.end() :]
        if value:
            yield from (f"{value}\n", _ODD[0], value + _ODD[0], value + _ODD.strip("\0"))

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

    def changed_tokens(self, value: str, near: Sequence[str]) -> str:
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
        # number of a function's constants that are tried with each other
        constants = [word for word in dict.fromkeys(self.own) if word not in known][:10]
        # number of the marks of one text that are tried with each other
        return [
            text
            for mark in known[:3]
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
