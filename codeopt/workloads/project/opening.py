"""A project in its sandbox, with the command that says what of it matters."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from codeopt.core.options import ImproveOptions
from codeopt.workloads._request import WorkloadRequest
from codeopt.workloads.project.command import read_command
from codeopt.workloads.project.files import ProjectFiles
from codeopt.workloads.project.runs import CommandRuns

LONGEST_S = 600.0
"""Seconds that a command may take where --timeout says nothing: what takes minutes is what people bring."""


@contextmanager
def open_command(request: WorkloadRequest, project: ProjectFiles) -> Iterator[CommandRuns]:
    """Raises UsageError, NoSandbox."""
    options = request.options
    command = read_command(options.run or "", project.root, options.python)
    for note in project.notes:
        request.session.console.print(f"note       {note}")
    if options.timeout == ImproveOptions.timeout:
        request = replace(request, options=replace(options, timeout=LONGEST_S))
    with request.open_sandbox(room_mib=project.mib) as sandbox:
        yield CommandRuns(sandbox, project, command)
