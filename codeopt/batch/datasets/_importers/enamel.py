"""ENAMEL's tasks: TASK/slow.py, expert.py, and calls.py of the expert's generators."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.datasets import file_text
from codeopt.batch.datasets._importers import ImportRequest
from codeopt.batch.datasets._importers._functions import FunctionTask, last_function
from codeopt.core.errors import UsageError


def read(request: ImportRequest) -> Iterator[FunctionTask]:
    """Read one task a folder. Raises UsageError."""
    folders = sorted(path.parent for path in request.path.glob("*/expert.py"))
    if not folders:
        raise UsageError(f"{request.path} is no folder of ENAMEL's tasks: it has no TASK/expert.py")
    for folder in folders:
        slow, expert, calls = (file_text(folder / f"{name}.py") for name in ("slow", "expert", "calls"))
        yield FunctionTask(folder.name, last_function(slow, folder.name.partition("_")[2]), slow, calls, expert)
