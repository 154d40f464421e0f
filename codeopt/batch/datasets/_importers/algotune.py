"""AlgoTune's tasks: TASK/slow.py with the task's class and `solve`, calls.py, and drafts/ that models wrote."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.datasets import file_text
from codeopt.batch.datasets._importers import ImportRequest
from codeopt.batch.datasets._importers._functions import FunctionTask
from codeopt.core.errors import UsageError
from codeopt_sandbox.plain_files import read_text

ACCEPT = """

def accept(arguments, expected, got):
    return bool(_TASK.is_solution(arguments["problem"], got))
"""
"""Function by which the task's own `is_solution` decides."""


def read(request: ImportRequest) -> Iterator[FunctionTask]:
    """Read one task a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/slow.py") if (path.parent / "calls.py").is_file())
    if not folders:
        raise UsageError(f"{request.path} is no folder of AlgoTune's tasks: it has no TASK/slow.py with a calls.py")
    for folder in folders:
        slow, calls = (file_text(folder / f"{name}.py") for name in ("slow", "calls"))
        drafts = {path.name: read_text(path, "replace") for path in sorted(folder.glob("drafts/*.py"))}
        yield FunctionTask(folder.name, "solve", slow, calls, accept=slow + ACCEPT, drafts=drafts)
