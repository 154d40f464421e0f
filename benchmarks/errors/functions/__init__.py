"""Functions of well-known packages with two other versions of each, as data: a package a text file.

In it `#: function` begins a function, `#: slow`, `#: wrong` and `#: calls` its parts.
HEAD is put before the calls. A function without calls is known by what its module brings: doctests, type hints.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

HEAD = """\
import operator, random, re, string
draw = random.Random(7)
def ints(n, top=50): return [draw.randrange(top) for _ in range(n)]
def word(n, letters="abcde-_."): return "".join(draw.choice(letters) for _ in range(n))
"""


@dataclass(frozen=True)
class Case:
    """One function: where it is, the two other versions, and calls."""

    target: str
    """module:qualified.name"""
    slow: str
    """An equal one that takes longer."""
    wrong: str
    """A version that is nearly equal."""
    calls: str = ""
    """Text of a --calls file."""


def cases() -> list[Case]:
    """Return the cases of every package, in the order of their names."""
    found = []
    for file in sorted(Path(__file__).parent.glob("*.txt")):
        for text in file.read_text("utf-8").split("#: function ")[1:]:
            target, *parts = re.split(r"^#: (slow|wrong|calls)$", text, flags=re.MULTILINE)
            found.append(Case(target.strip(), **dict(zip(parts[::2], parts[1::2], strict=True))))
    return found
