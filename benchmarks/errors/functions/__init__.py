"""Functions of well-known packages with two other versions of each, as data: a package a file.

HEAD is put before the calls. A function without calls is known by what its module brings: doctests, type hints.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass

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
    found = sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    return [case for module in found for case in importlib.import_module(f"{__name__}.{module.name}").CASES]
