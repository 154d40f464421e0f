"""A notebook: its code cells, one after the other, are a program; what is improved goes back into its cell, or into a
Python file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from codeopt.core.errors import UsageError
from codeopt.core.program import Program
from codeopt.workloads._protocol import workload
from codeopt.workloads.program import open_workload as open_program

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from codeopt.core.options import ImproveOptions
    from codeopt.core.target import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest


def matches(target: Target, options: ImproveOptions) -> bool:
    """Return True if the file's name is that of a notebook."""
    return target.path.suffix == ".ipynb"


def read(target: Target) -> Program:
    """The code cells as one program. Raises UsageError, with the first line that is no Python."""
    from codeopt.workloads.notebook.file import read_notebook

    if target.name:
        raise UsageError(f"{target}: a function of a notebook cannot be named", hint="put it in a .py file")
    notebook = read_notebook(target.path)
    text = notebook.program
    if not text:
        raise UsageError(f"{target.path} has no code")
    left_out = tuple(line for cell in notebook.cells for line in cell.plain.left_out)
    return Program(target.path, text, text, left_out=left_out, around=notebook)


@workload(matches, read=read, priority=10)
def open_workload(request: WorkloadRequest) -> AbstractContextManager[OpenTarget]:
    """Open the cells as a program."""
    return open_program(request)
