"""A folder of problems, as this project's own `problems/`: PROBLEM/slow.py, beside it its cases and often fast.py."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codeopt.batch.datasets import Problem, SetRequest, program_at


def recognises(request: SetRequest) -> bool:
    """Whether some folder in the set holds a slow.py."""
    return request.path.is_dir() and bool(_folders(request.path))


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a folder, by name. Raises UsageError."""
    for folder in _folders(request.path):
        cases = request.cases / folder.name if request.cases else folder
        yield program_at(folder.name, folder / "slow.py", cases, target=folder / "fast.py")


def _folders(home: Path) -> list[Path]:
    return sorted(path.parent for path in home.glob("*/slow.py"))
