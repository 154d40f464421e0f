"""A folder of problems, as this project's own `problems/`: PROBLEM/slow.py, beside it its cases and often fast.py; or,
for a function, calls.py and a file `function` with its name, often accept.py with the checker of its answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from codeopt.batch.datasets import Problem, SetRequest, program_at, read_text

FUNCTION = "function"
"""Name of the file that names the function of a problem's slow.py."""


def recognises(request: SetRequest) -> bool:
    """Whether some folder in the set holds a slow.py."""
    return request.path.is_dir() and bool(_folders(request.path))


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a folder, by name. Raises UsageError."""
    for folder in _folders(request.path):
        slow, fast, name = folder / "slow.py", folder / "fast.py", folder / FUNCTION
        if name.is_file():
            calls, accept = folder / "calls.py", folder / "accept.py"
            check = f"{accept}::accept" if accept.is_file() else ""
            function = read_text(name).strip()
            yield program_at(
                folder.name, slow, function=function, target=fast, check=check,
                calls=calls if calls.is_file() else None,
            )  # fmt: skip
            continue
        cases = request.cases / folder.name if request.cases else folder
        yield program_at(folder.name, slow, cases, target=fast)


def _folders(home: Path) -> list[Path]:
    return sorted(path.parent for path in home.glob("*/slow.py"))
