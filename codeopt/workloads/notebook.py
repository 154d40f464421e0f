"""A notebook: its code cells, one after the other, are a program; what is improved is written as a Python file."""

from __future__ import annotations

import ast
import json
from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.core.program import Program, as_source
from codeopt.workloads._protocol import workload
from codeopt.workloads.program import open_workload as open_program

if TYPE_CHECKING:
    from contextlib import AbstractContextManager
    from pathlib import Path
    from typing import Any

    from codeopt.core.options import ImproveOptions
    from codeopt.core.target import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest

LARGEST = 64 << 20
"""Bytes; most of a large notebook are pictures."""


def matches(target: Target, options: ImproveOptions) -> bool:
    """By the name of the file."""
    return target.path.suffix == ".ipynb"


def read(target: Target) -> Program:
    """The code cells as one program. Raises UsageError, with the first line that is no Python."""
    path = target.path
    if target.name:
        raise UsageError(f"{target}: a function of a notebook cannot be named; put it in a .py file")
    cells = [_source(cell) for cell in _cells(path) if cell.get("cell_type") == "code"]
    for number, cell in enumerate(cells, 1):
        _require_python(path, number, cell)
    text = "\n".join(cell.rstrip("\n") + "\n" for cell in cells if cell.strip())
    if not text:
        raise UsageError(f"{path} has no code; there is nothing to improve")
    return Program(path, text, text)


@workload(matches, read=read, priority=10)
def open_workload(request: WorkloadRequest) -> AbstractContextManager[OpenTarget]:
    """Open the cells as a program."""
    return open_program(request)


def _cells(path: Path) -> list[dict[str, Any]]:
    try:
        if path.stat().st_size > LARGEST:
            raise UsageError(f"{path} is larger than {LARGEST >> 20} MiB; clear its outputs first")
        found = json.loads(path.read_bytes())
        cells = found["cells"]
        return [cell for cell in cells if isinstance(cell, dict)]
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise UsageError(f"{path} is no notebook of format 4, which has a list of cells") from error


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return as_source("".join(source) if isinstance(source, list) else str(source))


def _require_python(path: Path, number: int, cell: str) -> None:
    """Magics and shell lines are no Python; the first of them is named."""
    try:
        ast.parse(cell)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        lines = cell.splitlines() or [""]
        magics = (text for text in lines if text.lstrip()[:1] in ("%", "!", "?"))
        at = min(getattr(error, "lineno", None) or 1, len(lines))
        line = next(magics, "") or lines[at - 1]
        kind = "which only Jupyter runs" if line.lstrip()[:1] in ("%", "!", "?") else "which is no Python"
        raise UsageError(f"{path}, code cell {number}: `{line.strip()[:80]}`, {kind}; take it out first") from error
