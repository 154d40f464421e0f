"""Cases that lie in a folder, in the layouts that codeopt_sandbox.caseio knows."""

from __future__ import annotations

from dataclasses import replace

from codeopt.core.errors import UsageError
from codeopt.core.ownership import require_own_way
from codeopt.workloads.program.cases import Request
from codeopt_sandbox.caseio import read_cases
from codeopt_sandbox.outcome import Case


def find(request: Request) -> list[Case]:
    """The cases of the first folder that holds any; none when other seeds are asked for, as files stay the same."""
    if request.first_seed != 1:
        return []
    for folder in request.folders:
        if folder.is_dir():
            require_own_way(folder, f"the folder of cases {folder}", "put a copy in its place")
            try:
                cases = read_cases(folder)
            except OSError as error:
                raise UsageError(f"cannot read {error.filename}: {error.strerror}") from error
            if cases:
                return [replace(case, ignored=request.ignored) for case in cases]
    return []
