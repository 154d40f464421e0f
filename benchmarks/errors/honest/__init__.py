"""Faster drafts that are right, as data: each a function or a program before and after, and how it is known."""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass

HEAD = """\
import random, string
draw = random.Random(11)
def ints(n, top=50): return [draw.randrange(top) for _ in range(n)]
def floats(n, top=50.0): return [draw.uniform(0, top) for _ in range(n)]
def word(n, letters="abcdefgh"): return "".join(draw.choice(letters) for _ in range(n))
"""
"""Put before the calls."""


@dataclass(frozen=True)
class Honest:
    """One right and faster draft."""

    name: str
    """Name of the function, `Class.method`. A program may have any name."""
    old: str
    new: str
    calls: str = ""
    """Text of a --calls file."""
    tests: str = ""
    """Text of a test module next to it."""
    inputs: tuple[str, ...] = ()
    """Inputs of a program."""


@dataclass(frozen=True)
class Upstream:
    """A speed-up that maintainers of a package released."""

    package: str
    """Name in the package index."""
    before: str
    after: str
    """Versions."""
    file: str
    """Below the folder that a wheel is unpacked to."""
    name: str
    """Name of the function."""
    calls: str
    with_packages: tuple[str, ...] = ()
    """Further packages to install."""


def drafts() -> list[Honest]:
    """Return the drafts of every file of this folder, in the order of their names."""
    return [each for module in _modules() for each in getattr(module, "DRAFTS", ())]


def releases() -> list[Upstream]:
    """Return the released speed-ups of packages."""
    return [each for module in _modules() for each in getattr(module, "RELEASES", ())]


def _modules() -> list[object]:
    found = sorted(pkgutil.iter_modules(__path__), key=lambda module: module.name)
    return [importlib.import_module(f"{__name__}.{module.name}") for module in found]
