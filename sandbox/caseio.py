"""Cases in a folder: PIE's input.N.txt and output.N.txt, or CodeNet's NAME.in and NAME.out."""

from __future__ import annotations

import re
from pathlib import Path

from sandbox.outcome import Case

_INPUT = re.compile(r"input[._-]?(\w+)\.txt")


def read_cases(folder: Path) -> list[Case]:
    """The cases in `folder`, in natural order; `expected` is None where an output is missing. Raises OSError."""
    found = [case for path in folder.iterdir() if (case := _pair(path))]
    return sorted(found, key=lambda case: [int(p) if p.isdigit() else p for p in re.split(r"(\d+)", case.name)])


def _pair(path: Path) -> Case | None:
    if match := _INPUT.fullmatch(path.name):
        output = path.with_name("output" + path.name[len("input") :])
        return Case(match[1], path.read_bytes(), _read(output))
    if path.suffix == ".in" and path.is_file():
        return Case(path.stem, path.read_bytes(), _read(path.with_suffix(".out")))
    return None


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
