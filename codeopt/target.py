"""What a user points at: a file, or something in it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Target:
    """`FILE`, or `FILE::NAME`."""

    path: Path
    name: str = ""
    """Qualified name of what is meant inside the file; empty when the whole file is."""
    module: str = ""
    """The file is run as `python -m MODULE`; empty: as a script."""

    def __str__(self) -> str:
        return f"{self.path}::{self.name}" if self.name else str(self.path)


def as_target(given: str | os.PathLike[str] | Target) -> Target:
    """A target as it was written: `slow.py`, `mod.py::f`, `mod.py::Class.method`."""
    if isinstance(given, Target):
        return given
    path, _, name = os.fspath(given).partition("::")
    return Target(Path(path), name.replace("::", "."))
