"""The one case that a user gives on the command line: arguments with their files, after `--`."""

from __future__ import annotations

from codeopt.core.run_inputs import read_run_inputs
from codeopt.workloads.program.cases import Request, text
from codeopt_sandbox.outcome import Case


def find(request: Request) -> list[Case]:
    """The case; none where neither arguments nor files are given. Raises UsageError."""
    if (request.args is None and not request.with_paths) or request.first_seed != 1:
        return []
    given = read_run_inputs(request.args or (), request.with_paths)
    stdin = text(request.stdin) if request.stdin else b""
    return [Case("arguments", stdin, args=given.args, files=given.files)]
