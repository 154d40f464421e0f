"""A folder of problems, as this project's own `problems/`: PROBLEM/slow.py, next to it its cases and often fast.py; or,
for a function, calls.py and a file `function` with its name, often accept.py with the checker of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codeopt.batch.datasets import Problem, SetRequest, file_text, program_at

FUNCTION = "function"
"""Name of the file that names the function of a problem's slow.py."""


def recognises(request: SetRequest) -> bool:
    """Whether some folder in the set holds a slow.py."""
    return request.path.is_dir() and bool(_folders(request.path))


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a folder, by name. Raises UsageError."""
    for folder in _folders(request.path):
        program, fast = folder / "slow.py", folder / "fast.py"
        if (folder / FUNCTION).is_file():
            name = file_text(folder / FUNCTION).strip()
            check = f"{folder / 'accept.py'}::accept" if (folder / "accept.py").is_file() else ""
            calls = folder / "calls.py" if (folder / "calls.py").is_file() else None
            yield program_at(folder.name, program, function=name, target=fast, calls=calls, check=check)
        else:
            cases = request.cases / folder.name if request.cases else folder
            yield program_at(folder.name, program, cases, target=fast)


def _folders(home: Path) -> list[Path]:
    return sorted(path.parent for path in home.glob("*/slow.py"))
