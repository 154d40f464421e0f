"""Relations of single values in a document, texts and numbers, each with the values that break it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from codeopt.workloads.contract.program.formats import EXACT

Path = tuple[str, ...]
"""Names of fields from the root, and steps into lists."""
Holds = Callable[[Any], bool]
Broken = Callable[[Any], Iterable[Any]]
FEW_WORDS = 12
"""Maximum number of words that form a set. With more of them any word is allowed."""
SAME_LENGTH_FROM = 3
"""Number of texts that are not of one length by chance."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_PLAIN = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


@dataclass(frozen=True)
class NodeRelation:
    """Something that holds of all values at a place."""

    kind: str
    """Words about it, with {} for the place."""
    holds: Holds
    broken: Broken
    """Values that break it, made of one that keeps it."""
    name: str = ""
    """The place in a word; empty for the usual one."""
    path: Path = ()

    def at(self, path: Path, name: str, applies: Holds) -> NodeRelation:
        """The relation of values at a place, restricted to one kind of them. Another relation covers other kinds."""
        restricted = lambda value: not applies(value) or self.holds(value)  # noqa: E731
        return replace(self, path=path, name=self.name or name, holds=restricted)

    @property
    def words(self) -> str:
        """Words about a document that breaks it."""
        return self.kind.replace("{}", self.name)


Check = tuple[str, Holds, Broken]
"""Words with {} for the place, whether it holds, and values that break it."""
TEXTS: tuple[Check, ...] = (
    ("no known {} is empty", bool, lambda s: [""]),
    ("every known {} is ASCII", str.isascii, lambda s: [f"{s[:-1]}{letter}" for letter in "\u00e9\u00df\u0130\u4e2d"]),
    ("every known {} is one word", lambda s: len(s.split()) <= 1, lambda s: [f"{s} b", f"{s[:1]} {s[1:]}"]),
    ("no known {} has signs that are quoted", lambda s: not set(s) & set("\",;'\\"),
     lambda s: [f"{s},b", f'{s}"b"', f"{s};'b"]),
    ("no known {} has blanks at its ends", lambda s: s == s.strip(), lambda s: [f" {s}", f"{s} "]),
    ("no known {} has several blanks", lambda s: "  " not in s, lambda s: [s.replace(" ", "  ", 1), f"{s}  b"]),
    ("no known {} has a line end", lambda s: not set(s) & set("\n\r"), lambda s: [f"{s}\nb"]),
    ("no known {} has a capital", lambda s: s == s.lower(), lambda s: [s.upper(), s.capitalize()]),
    ("every known {} is in capitals", lambda s: s == s.upper(), lambda s: [s.lower(), s.capitalize()]),
    ("no known {} has a digit", lambda s: not any(map(str.isdigit, s)), lambda s: [f"{s}7"]),
    ("no known {} is a number", lambda s: not NUMBER.fullmatch(s), lambda s: ["7", "1.5"]),
)  # fmt: skip
WRITTEN: tuple[Check, ...] = (
    ("no known {} is empty", bool, lambda s: [""]),
    ("no known {} is a fraction", lambda s: "." not in s, lambda s: [f"{s}.5"]),
    ("no known {} is 2**53 or more", lambda s: not NUMBER.fullmatch(s) or abs(float(s)) < EXACT,
     lambda s: [str(EXACT + 1), str(10**18 + 1)]),
    ("no known {} is below zero", lambda s: not s.startswith("-"), lambda s: [f"-{s}"]),
    ("no known {} is zero", lambda s: not NUMBER.fullmatch(s) or float(s) != 0, lambda s: ["0"]),
    ("every known {} is a number", lambda s: not s.strip() or bool(NUMBER.fullmatch(s.strip())), lambda s: ["x"]),
    ("every known {} is written plainly", lambda s: bool(_PLAIN.fullmatch(s)) or not NUMBER.fullmatch(s),
     lambda s: [f"0{s}", f"+{s}"]),
    ("no known {} has blanks at its ends", lambda s: s == s.strip(), lambda s: [f" {s}", f"{s} "]),
)  # fmt: skip
"""Checks of numbers that are written as texts: of a table, of a configuration."""
NUMBERS: tuple[Check, ...] = (
    ("no known {} is a fraction", lambda v: isinstance(v, int), lambda v: [v + 0.5]),
    ("no known {} is 2**53 or more", lambda v: abs(v) < EXACT, lambda v: [EXACT + 1, 10**18 + 1]),
    ("no known {} is below zero", lambda v: v >= 0, lambda v: [-v, -1]),
    ("no known {} is zero", lambda v: v != 0, lambda v: [0]),
)


def is_number(value: Any) -> bool:
    """A number and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def of_values(values: Sequence[Any]) -> tuple[Holds, Iterable[NodeRelation]]:
    """The likely relations of the values at a place, and what they are about; none of lists and objects."""
    if all(isinstance(value, str) for value in values):
        written = all(NUMBER.fullmatch(value) for value in values)
        checks = (*(WRITTEN if written else TEXTS), *_seen(values, written))
        return lambda value: isinstance(value, str), (NodeRelation(*check) for check in checks)
    return is_number, (NodeRelation(*check) for check in (NUMBERS if all(map(is_number, values)) else ()))


def _seen(values: Sequence[str], written: bool) -> Iterator[Check]:
    """Yield checks that only the known words, lengths and decimal places occur."""
    known, lengths = set(values), {len(value) for value in values}
    if written:
        most = max(len(value.partition(".")[2]) for value in values)
        if most:
            yield (
                "no known {} has as many places",
                lambda s: len(s.partition(".")[2]) <= most,
                lambda s: [f"{s}25" if "." in s else f"{s}.{'1' * most}25"],
            )
        return
    if len(known) <= FEW_WORDS and len(values) >= 2 * len(known):
        yield "no known {} is another word", known.__contains__, lambda s: [f"{s}{s[-1:]}", "other"]
    if len(lengths) == 1 and len(values) >= SAME_LENGTH_FROM:
        yield "every known {} is as long", lambda s: len(s) in lengths, lambda s: [s + s[-1:], s[:-1]]
