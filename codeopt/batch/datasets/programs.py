"""A folder of slow programs: NAME.py, its cases in NAME/ or cases/NAME/ next to it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codeopt.batch.datasets import Problem, SetRequest, program_at

NOT_PROGRAMS = ("generate.py", "fast.py", "conftest.py")
"""Names of Python files that are no problems."""


def recognises(request: SetRequest) -> bool:
    """Whether the set is a folder of Python files, but no problem of the bundled layout."""
    return request.path.is_dir() and not (request.path / "slow.py").exists() and bool(_programs(request.path))


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a file, by name."""
    for path in _programs(request.path):
        yield program_at(path.stem, path, _cases(request, path))


def _programs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name not in NOT_PROGRAMS and path.name[0] not in "_.")


def _cases(request: SetRequest, path: Path) -> Path | None:
    """Folder of a program's cases: its own, even if that does not exist, never a neighbour's."""
    homes = [request.cases] if request.cases else [request.path, request.path / "cases"]
    found = [home / path.stem for home in homes if (home / path.stem).is_dir()]
    return found[0] if found else homes[0] / path.stem
