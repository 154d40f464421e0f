"""A list of functions: one `path/to/file.py::qualified.name` a line, relative to the list; `#` begins a comment."""

from __future__ import annotations

from collections.abc import Iterator

from codeopt.batch.datasets import Problem, SetRequest, file_text, program_at
from codeopt.core.errors import UsageError


def recognises(request: SetRequest) -> bool:
    """Whether the set is a text file."""
    return request.path.is_file() and request.path.suffix in {".txt", ".list"}


def read(request: SetRequest) -> Iterator[Problem]:
    """Read one problem a line; a line without `::` is a program. Raises UsageError for an empty list."""
    lines = [line.partition("#")[0].strip() for line in file_text(request.path).splitlines()]
    targets = [line for line in lines if line]
    if not targets:
        raise UsageError(f"{request.path} names no function", hint="write one path/to/file.py::name a line")
    for target in targets:
        name, _, function = target.partition("::")
        yield program_at(target, request.path.parent / name, request.cases, function=function)
