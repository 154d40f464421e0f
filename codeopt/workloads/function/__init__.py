"""A function of a module: `mod.py::f`, `mod.py::Class.method`, called with known, recorded and generated arguments."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from codeopt.workloads._protocol import workload

if TYPE_CHECKING:
    from codeopt.core.options import ImproveOptions
    from codeopt.core.program import Target
    from codeopt.workloads import OpenTarget, WorkloadRequest


def matches(target: Target, options: ImproveOptions) -> bool:
    """Something inside a file."""
    return bool(target.name)


@workload(matches, priority=10)
@contextmanager
def open_workload(request: WorkloadRequest) -> Iterator[OpenTarget]:
    """Copy what may be shown of the project, and open a sandbox that shows it. Raises UsageError, NoSandbox."""
    from codeopt.workloads.function.function_target import open_function

    with open_function(request) as opened:
        yield opened
